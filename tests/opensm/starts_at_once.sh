#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# On a large fabric that is no tree OpenSM does not wait for engine layers: its first tables are those of engine updown, and
# the search for better ones, with virtual lanes, runs beside it. From then on faults are repaired.
source "$(dirname "$0")/common.sh" "$@"

"$espalier" generate jellyfish "300,5,1" --seed 2003 -o "$run_dir/net"
printf '%s\n' "performance_log $run_dir/runs" "rebalance_quiet_seconds 100000" >"$run_dir/conf"
start_ibsim "$run_dir/net"
start_opensm "routing_engine layers no_fallback" "qos TRUE" "max_op_vls 2" "event_plugin_options $run_dir/conf"
wait_routed 120
expect "quick tables first" in_log "layers: the first tables are those of engine updown"
wait_log "layers: rebalance: .* the reference now" 300
wait_log "layers: 2 virtual lanes" 120
wait_for "the end of sweeps" 120 is_quiet

# is_sound NAME: tables, SL2VL tables and path records, as the fabric has them, are.
is_sound() {
  as_host "$(first_host)" "$espalier" verify --live --traffic end-ports >"$run_dir/$1.verdict" 2>"$run_dir/$1.err" || true
  expect "$1 is sound: $(<"$run_dir/$1.verdict")" grep -q "^sound: .* on 2 virtual lanes" "$run_dir/$1.verdict"
}
is_sound searched
expect "the first run only" test "$(grep -c '"run":"started"' "$run_dir/runs")" -ge 1
expect_not "the engine under OpenSM's lock" grep -q '"run":"routed"' "$run_dir/runs"

cable=$(switch_cables | sed -n 1p)
[[ -n $cable ]]
sweep_after ibsim_cmd "Unlink $cable"
expect "a repair" in_log "layers: repair: [1-9][0-9]* entr[a-z]* changed from the reference"
is_sound repaired
