#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#SBATCH --job-name=espalier-campaign
# One process of a campaign on a cluster: `espalier compare` with the shard that belongs to it.
#
#   sbatch --array=0-15 scripts/campaign_shard.sh big.net --engines dmodc --damage links:0..30%/7 --json records
#   mpirun -n 16        scripts/campaign_shard.sh big.net --engines dmodc --damage links:0..30%/7 --json records
#   srun -n 16          scripts/campaign_shard.sh ...
#
# The number of processes is the number of shards. `records` becomes a folder that all processes see, each writing a
# file of its own there; the same call again, with any number of processes, does what is missing. ESPALIER names the
# program; else it is build/espalier next to this script or the one in PATH. Processes that share a machine: add -j 1.
set -euo pipefail

if [[ -n ${OMPI_COMM_WORLD_RANK-} ]]; then # Open MPI
  shard=$OMPI_COMM_WORLD_RANK of=$OMPI_COMM_WORLD_SIZE
elif [[ -n ${PMI_RANK-} ]]; then # MPICH and its relatives
  shard=$PMI_RANK of=$PMI_SIZE
elif [[ -n ${SLURM_ARRAY_TASK_ID-} ]]; then
  first=${SLURM_ARRAY_TASK_MIN:-0} last=${SLURM_ARRAY_TASK_MAX:?the array has to say where it ends}
  shard=$((SLURM_ARRAY_TASK_ID - first)) of=$((last - first + 1))
  if ((of != ${SLURM_ARRAY_TASK_COUNT:-$of})); then
    echo "$0: an array with gaps leaves runs undone; give --array=0-N" >&2
    exit 2
  fi
elif [[ -n ${SLURM_PROCID-} ]]; then
  shard=$SLURM_PROCID of=$SLURM_NTASKS
else
  echo "$0: neither MPI nor Slurm says which process this is; see $0" >&2
  exit 2
fi

# sbatch runs a copy of this file: then only PATH and ESPALIER can tell.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
espalier=${ESPALIER:-$here/build/espalier}
[[ -x $espalier ]] || espalier=espalier

arguments=("$@")
for ((i = 0; i + 1 < $#; ++i)); do
  [[ ${arguments[i]} == --json ]] && mkdir -p "${arguments[i + 1]}"
done
exec "$espalier" compare "$@" --shard "$shard/$of"
