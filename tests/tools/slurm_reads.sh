#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# A real slurmctld reads the topology.conf of `espalier convert --to slurm` and tells the tree that it has understood: of a tree
# made up, of one with several adapters per host, and of real fabrics where $ESPALIER_FABRICS has them.
#
# Usage: slurm_reads.sh ESPALIER
set -euo pipefail
espalier=$1
PATH=$PATH:/usr/sbin
for program in slurmctld scontrol unshare; do
  command -v $program >/dev/null || { echo "skipped: there is no $program"; exit 77; }
done
((EUID == 0)) || { echo "skipped: a network of its own needs root"; exit 77; }

work=$(mktemp -d -t espalier-slurm-XXXXXX)
trap 'rm -rf "$work"' EXIT

# ask_slurm DIR: starts slurmctld on DIR/topology.conf in a network of its own, writes its tree to DIR/shown.
ask_slurm() {
  local dir=$1 nodes
  nodes=$(sed -n 's/.* Nodes=//p' "$dir/topology.conf" | paste -sd, -)
  mkdir -p "$dir/state"
  cat >"$dir/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=localhost(127.0.0.1)
SlurmUser=root
AuthType=auth/none
CredType=cred/none
StateSaveLocation=$dir/state
SlurmctldPidFile=$dir/slurmctld.pid
SlurmctldLogFile=$dir/slurmctld.log
ProctrackType=proctrack/pgid
ReturnToService=2
TopologyPlugin=topology/tree
SwitchType=switch/none
SelectType=select/linear
TaskPlugin=task/none
MpiDefault=none
NodeName=$nodes NodeAddr=127.0.0.1 CPUs=1 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES
CONF
  # shellcheck disable=SC2016
  SLURM_CONF=$dir/slurm.conf timeout -s KILL 90 unshare --net --uts --pid --fork --kill-child --mount-proc bash -c '
    ip link set lo up
    ip link add v0 type veth peer name v1 && ip addr add 192.0.2.1/24 dev v0 && ip link set v1 up && ip link set v0 up # an address beyond the loopback: else slurmctld resolves no name
    hostname localhost
    slurmctld -D >"$0/out" 2>&1 &
    for i in $(seq 150); do
      scontrol show topology >"$0/shown" 2>"$0/asked" && grep -q SwitchName "$0/shown" && exit 0
      kill -0 $! 2>/dev/null || break
      sleep 0.2
    done
    exit 1' "$dir" || { cat "$dir/out" "$dir/asked" "$dir/slurmctld.log" >&2; echo "slurmctld does not take $dir" >&2; return 1; }
}

# expect_tree DIR HOSTS: Slurm complains of nothing and has one switch above all HOSTS nodes.
expect_tree() {
  local dir=$1 hosts=$2 top written read
  if grep -hiE "error.*(topolog|switch|leaf)|(topolog|switch).*error|warning: switch" "$dir/slurmctld.log" "$dir/out"; then
    echo "slurmctld complains of $dir/topology.conf" >&2
    return 1
  fi
  written=$(grep -c "^SwitchName=" "$dir/topology.conf")
  read=$(grep -c "^SwitchName=" "$dir/shown")
  [[ $written == "$read" ]] || { echo "$dir: $written switches written, $read read" >&2; return 1; }
  top=$(sed 's/.*Level=\([0-9]*\).*/\1/' "$dir/shown" | sort -n | tail -n 1)
  [[ $(grep -c "Level=$top " "$dir/shown") -ge 1 ]]
  local most
  most=$(grep "Level=$top " "$dir/shown" | sed -n 's/.* Nodes=\([^ ]*\).*/\1/p' | while read -r list; do
    SLURM_CONF=$dir/slurm.conf scontrol show hostnames "$list" | wc -l
  done | sort -n | tail -n 1)
  [[ $most == "$hosts" ]] || { echo "$dir: a top switch has $most of $hosts nodes" >&2; return 1; }
}

# try NAME HOSTS ARGUMENT...: converts and asks.
try() {
  local name=$1 hosts=$2
  shift 2
  mkdir "$work/$name"
  "$espalier" convert "$@" --to slurm -o "$work/$name/topology.conf" 2>"$work/$name/warnings"
  ask_slurm "$work/$name"
  expect_tree "$work/$name" "$hosts"
  echo "$name: $(grep -c "^SwitchName=" "$work/$name/topology.conf") switches, $hosts nodes"
}

"$espalier" generate pgft "2;4,6;1,4;1,1" -o "$work/tree.net"
try tree 24 "$work/tree.net"
"$espalier" generate pgft "3;3,3,2;1,3,3;1,1,1" -o "$work/three.net"
try three_levels 18 "$work/three.net"

# Two adapters of each host, on two leaves: Slurm takes one rail.
sed -E 's/"host ([0-9]*)([02468])"/"node\1\2 mlx5_0"/; s/"host ([0-9]*)([13579])"/"node\1\2 mlx5_1"/' "$work/tree.net" >"$work/rails.net"
try one_rail 12 "$work/rails.net" --rail mlx5_0

for net in "${ESPALIER_FABRICS:-/nonexistent}"/*.net; do
  [[ -r $net ]] || continue
  name=$(basename "$net" .net)
  mkdir "$work/$name"
  # What Slurm would refuse is refused here, with a reason; everything else it takes.
  if "$espalier" convert "$net" --to slurm -o "$work/$name/topology.conf" 2>"$work/$name/warnings"; then
    ask_slurm "$work/$name"
    echo "$name: taken"
  else
    grep -q "^espalier: " "$work/$name/warnings"
    echo "$name: $(tail -n 1 "$work/$name/warnings")"
  fi
done
