#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# The sample program exchanges every byte by the schedule, also when a new epoch comes in the middle of an exchange, and
# refuses a number of ranks that is not the schedule's. Run as `mpi_exchange.sh BUILD_DIR`.
set -Eeuo pipefail
build=$(cd "${1:?usage: $0 BUILD_DIR}" && pwd)
dir=$(mktemp -d -t espalier-mpi-XXXXXX)
trap 'rm -rf "$dir"' EXIT
trap 'echo "FAILED: line $LINENO: $BASH_COMMAND" >&2; cat "$dir"/*.out >&2 || true' ERR

# Open MPI frees little of its own at the end; what is ours, schedule_test looks after.
export ASAN_OPTIONS=detect_leaks=0

run() { # RANKS ARGUMENT ...
  timeout -s KILL 60 mpirun --oversubscribe --allow-run-as-root --mca btl self,vader --mca mpi_yield_when_idle 1 -n "$1" \
    "$build/mpi_exchange" "${@:2}" "$dir/epochs"
}

# publish EPOCH NET: as the plugin does.
publish() {
  "$build/espalier" schedule "$2" --epoch "$1" -o "$dir/epochs/epoch-00000000000$1.esp" 2>/dev/null
  ln -s "epoch-00000000000$1.esp" "$dir/epochs/next"
  mv -T "$dir/epochs/next" "$dir/epochs/current"
}

mkdir "$dir/epochs"
"$build/espalier" generate pgft "2;3,4;1,3;1,1" -o "$dir/tree.net" 2>/dev/null
"$build/espalier" degrade "$dir/tree.net" --links 2 --seed 3 -o "$dir/hurt.net" 2>/dev/null
publish 1 "$dir/tree.net"

run 12 -n 2 -b 3000 >"$dir/whole.out" 2>&1
grep -q "^epoch 1: 12 servers, 12 phases .* a linear shift has 11" "$dir/whole.out"
grep -q "^2 exchanges in 24 phases, epoch 1 in the end, 0 changes .* 864000 bytes compared, 0 wrong$" "$dir/whole.out"

# In the middle: 12 phases of 50 ms, a new epoch after the first exchange has begun.
: >"$dir/change.out"
run 12 -n 1 -p 50 -e 2 >"$dir/change.out" 2>&1 &
pid=$!
until grep -q "^epoch 1:" "$dir/change.out"; do
  kill -0 $pid
  sleep 0.05
done
sleep 0.2
publish 2 "$dir/hurt.net"
wait $pid
grep -q "epoch 2 after [0-9]* phases of epoch 1" "$dir/change.out"
grep -q "epoch 2 in the end, .* 0 wrong$" "$dir/change.out"

if run 5 >"$dir/few.out" 2>&1; then
  echo "five ranks were accepted for twelve servers" >&2
  exit 1
fi
grep -q "as many ranks as the schedule has servers" "$dir/few.out"
