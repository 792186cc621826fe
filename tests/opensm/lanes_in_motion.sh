#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Tables with virtual lanes are repaired as those of one lane are: after a fault the engine layers does not run under
# OpenSM's lock, what the switches and the SA have then is sound on its lanes, and what returns brings tables and lanes back.
# New ones are made outside of the lock.
source "$(dirname "$0")/common.sh" "$@"

"$espalier" generate jellyfish "20,5,3" --seed 2001 -o "$run_dir/net"
conf() { printf '%s\n' "performance_log $run_dir/runs" "rebalance_quiet_seconds 100000" "$@" >"$run_dir/conf"; }
conf
start_ibsim "$run_dir/net"
start_opensm "routing_engine layers no_fallback" "qos TRUE" "max_op_vls 3" "event_plugin_options $run_dir/conf"
wait_routed
wait_for "the end of sweeps" 60 is_quiet
expect "several lanes" in_log "layers: [234] virtual lanes"

# is_sound NAME: tables, SL2VL tables and path records, as the fabric has them, are; they are in NAME.lfts and NAME.lanes.
is_sound() {
  as_host "$(first_host)" "$espalier" verify --live --traffic end-ports --save-lanes "$run_dir/$1.lanes" \
    >"$run_dir/$1.verdict" 2>"$run_dir/$1.err" || true
  cp "$run_dir/sm/opensm-lfts.dump" "$run_dir/$1.lfts"
  expect "$1 is sound: $(<"$run_dir/$1.verdict")" grep -q "^sound: .* on [234] virtual lanes" "$run_dir/$1.verdict"
}
last_run() { tail -n 1 "$run_dir/runs" | sed -n 's/.*"run":"\([a-z]*\)".*/\1/p'; }
num_runs() { grep -c "espalier: layers: .* ms: snapshot" "$sm_log"; }
all_noted() { [[ $(wc -l <"$run_dir/runs") == $(num_runs) ]]; }

# repaired NAME DOES WHAT: "Unlink" or "Relink" leads to a repair, and to nothing else.
repaired() {
  sweep_after ibsim_cmd "$2 $3"
  expect "a repair" in_log "layers: repair: [0-9]* entr[a-z]* changed from the reference, [0-9]* routes\? repaired"
  wait_for "a line for each run" 60 all_noted
  expect "a run that repairs" test "$(last_run)" = repaired
  is_sound "$1"
}
is_sound first
cable=$(switch_cables | sed -n 1p)
switch=$(sed -n 's/^Switch[^"]*\("[^"]*"\).*/\1/p' "$net_file" | tail -n 1)
[[ -n $cable && -n $switch ]]
repaired cable Unlink "$cable"
expect_not "the same tables" cmp -s "$run_dir/first.lfts" "$run_dir/cable.lfts"
expect "lanes for multicast and path records" in_log "layers: [234] virtual lanes"
repaired switch Unlink "$switch"
repaired without_cable Relink "$switch"
expect "the tables without the cable" cmp "$run_dir/cable.lfts" "$run_dir/without_cable.lfts"
repaired whole Relink "$cable"
expect "the first tables" cmp "$run_dir/first.lfts" "$run_dir/whole.lfts"
expect "the first lanes" cmp "$run_dir/first.lanes" "$run_dir/whole.lanes"

# New tables for what is left, without the lock.
repaired again Unlink "$cable"
conf "rebalance now"
sweep_after kill -HUP "$sm_pid"
wait_log "layers: rebalance: .* the reference now" 120
settle
expect "nothing to repair" in_log "layers: repair: 0 entries"
is_sound rebalanced
expect "one run of the engine at most for each sweep of the start" test "$(grep -c '"run":"routed"' "$run_dir/runs")" -le 2
