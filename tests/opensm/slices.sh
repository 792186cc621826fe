#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# max_blocks_per_sweep: the tables of a rebalance are sent in slices, sweep after sweep, each within the limit; a fault
# in the middle is repaired at once; in the end the switches have what `espalier repair` makes of the reference.
source "$(dirname "$0")/common.sh" "$@"

"$espalier" generate pgft "3;6,4,6;1,4,4;1,1,1" -o "$run_dir/whole"
"$espalier" degrade "$run_dir/whole" --links 9 --seed 1001 -o "$run_dir/net"
reference=$run_dir/state/reference
limit=12
printf '%s\n' "state_directory $run_dir/state" "performance_log $run_dir/runs" "rebalance_quiet_seconds 100000" \
  "max_blocks_per_sweep $limit" >"$run_dir/conf"
start_ibsim "$run_dir/net"
start_opensm "routing_engine balanced no_fallback" "event_plugin_options $run_dir/conf"
wait_log "SUBNET UP"

slices() { grep -c "max_blocks_per_sweep: .* left for later sweeps" "$sm_log" || true; }
has_slices() { (($(slices) >= 2)); }
wait_log "balanced: rebalance: .* the reference now" 120
wait_for "two slices" 60 has_slices
# A link is lost while old and new routes are mixed.
leaf=$(sed -n 's/^Switch[^"]*\("[^"]*"\).*"leaf 2".*/\1/p' "$net_file")
mapfile -t cables < <(sed -n '/^Switch.*"leaf 2"/,/^$/s/^\(\[[0-9]*\]\)\t"S-.*/\1/p' "$net_file")
sweep_after ibsim_cmd "Unlink $leaf${cables[0]}"

nothing_left() { tail -n 1 "$run_dir/runs" | grep -q '"blocks_left":0'; }
wait_for "the last slice" 120 nothing_left
settle
judge
discover "$run_dir/now.net"
"$espalier" repair "$run_dir/now.net" --reference "$reference" -o "$run_dir/now.lfts" 2>"$run_dir/now.err"
expect "the repaired tables" "$espalier" diff "$run_dir/now.lfts" "$run_dir/sm/opensm-lfts.dump"
expect_not "tables that had to be sent at once" in_log "cannot be used side by side"

# Where no route was lost, a slice is one column at most: 64 LIDs on each of the switches.
switches=$(grep -c "^Switch" "$run_dir/net")
grep -v '"blocks_left":0' "$run_dir/runs" | grep '"repaired_routes":0' | sed 's/.*"blocks":\([0-9]*\).*/\1/' >"$run_dir/slices"
expect "two slices" test "$(wc -l <"$run_dir/slices")" -ge 2
while read -r blocks; do expect "at most a column" test "$blocks" -le "$switches"; done <"$run_dir/slices"
