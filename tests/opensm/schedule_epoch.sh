#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# A cable fails under a running exchange: fors writes new tables and publishes a new epoch, congestion-free over what the
# switches then hold; the MPI program goes over to it without a wrong byte; entries that did not use the cable stay.
source "$(dirname "$0")/common.sh" "$@"

epochs=$run_dir/epochs
live() { as_host "$(first_host)" "$espalier" "$1" --live "${@:2}"; }
exchange() { # ARGUMENT ...: the sample program, a rank for each host
  timeout -s KILL 120 mpirun --oversubscribe --allow-run-as-root --mca btl self,vader --mca mpi_yield_when_idle 1 -n 12 \
    "$ESPALIER_BUILD/mpi_exchange" "$@" "$epochs"
}
is_epoch() { [[ $(readlink "$epochs/current") == "epoch-00000000000$1.esp" ]]; }

# congestion_free NAME: the current epoch over the tables read back from the switches.
congestion_free() {
  live convert --to lfts -o "$run_dir/$1.lfts"
  live convert --to net -o "$run_dir/$1.net"
  "$espalier" schedule --check "$run_dir/$1.net" "$run_dir/$1.lfts" "$epochs/current"
}

# ms_between PATTERN1 PATTERN2: from the first to the first line of the log since the mark, in ms.
ms_between() {
  log_since_mark | awk -v first="$1" -v second="$2" '
    function ms() { split($3, t, ":"); return ((t[1] * 60 + t[2]) * 60 + t[3]) * 1000 + $4 / 1000 }
    !from && $0 ~ first { from = ms() }
    from && $0 ~ second { printf "%.1f\n", ms() - from; exit }'
}

two_level 4 3 3 >"$run_dir/net"
echo "schedule_directory $epochs" >"$run_dir/espalier.conf"
start_ibsim "$run_dir/net"
start_opensm "routing_engine fors no_fallback" "lmc 2" "reassign_lids TRUE" \
  "event_plugin_options $run_dir/espalier.conf"
wait_log "SUBNET UP"
settle
expect "epoch 1" is_epoch 1
expect "mode spine at its bound" in_log "fors: epoch 1 in .*: 12 servers, mode spine, LMC 2, 12 phases, lower bound 12"
judge
congestion_free whole

# A sweep that finds nothing new begins no epoch.
resweep
expect "still epoch 1" is_epoch 1

: >"$run_dir/exchange.out"
exchange -n 1 -p 100 -e 2 >"$run_dir/exchange.out" 2>&1 &
exchange_pid=$!
started_pids+=("$exchange_pid")
wait_for "the exchange" 60 grep -q "^epoch 1: 12 servers" "$run_dir/exchange.out"
sleep 0.3
sweep_after ibsim_cmd 'Unlink "leaf1"[4]'
wait_for "epoch 2" 30 is_epoch 2
wait "$exchange_pid"
sed 's/^/  /' "$run_dir/exchange.out"
expect "a change within the exchange" grep -q "epoch 2 after [0-9]* phases of epoch 1" "$run_dir/exchange.out"
expect "no wrong byte" grep -q "epoch 2 in the end, .* 0 wrong$" "$run_dir/exchange.out"
judge
congestion_free hurt
echo "from the trap to epoch 2: $(ms_between "num:128" "fors: epoch 2 in") ms, to SUBNET UP $(ms_between "num:128" "SUBNET UP") ms"
expect "a time" test -n "$(ms_between "num:128" "fors: epoch 2 in")"

# What has to change: one offset of 9 hosts at leaf1, of its 3 hosts at each other leaf, and all LIDs of these at spine1.
# The fourth offset, which names no spine, and LIDs of switches follow dmodc; twice that is the limit, of 385.
"$espalier" diff "$run_dir/whole.lfts" "$run_dir/hurt.lfts" >"$run_dir/diff" || true
entries=$(sed -n 's/^differences: \([0-9]*\) entries in .*/\1/p' "$run_dir/diff")
echo "one cable: $entries entries changed, $((9 + 3 * 3 + 12)) had to"
expect "few changed entries" test "$entries" -le $((2 * (9 + 3 * 3 + 12)))

# The cable comes back: epoch 3 says what epoch 1 said, over the tables from before.
sweep_after ibsim_cmd 'Relink "leaf1"[4]'
wait_for "epoch 3" 30 is_epoch 3
congestion_free again
"$espalier" diff "$run_dir/whole.lfts" "$run_dir/again.lfts"
