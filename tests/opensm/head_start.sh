#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# While OpenSM waits for the answers of ports, the tables of its first run are made: they are those that a run makes, and
# also on several LIDs per port the subnet is the one that was foreseen.
source "$(dirname "$0")/common.sh" "$@"

"$espalier" generate pgft "3;6,6,6;1,6,6;1,1,1" -o "$run_dir/net"
start_ibsim "$run_dir/net"

for engine in dmodc balanced ftree2; do
  for lmc in 0 2; do
    expect "a head start of $engine, LMC $lmc" has_head_start "$engine" "lmc $lmc"
    judge
    expect_not "a second one" test "$(grep -c "$ahead" "$sm_log")" -gt 1
    # A search has replaced those of balanced.
    if [[ $engine != balanced ]]; then
      "$espalier" route "$run_dir/$sm_name/discovered" --engine "$engine" -o "$run_dir/wanted"
      expect "the tables of $engine" "$espalier" diff "$run_dir/$sm_name/opensm-lfts.dump" "$run_dir/wanted"
    fi
    stop "$sm_pid"
  done
done

# Later runs have one as well: what breaks is repaired, and what returns is back, before OpenSM asks. It pauses when it has
# discovered the subnet.
export ESPALIER_PAUSE=$run_dir/pause
sm_name=later
printf '%s\n' "repair always" "state_directory $run_dir/state" "rebalance never" >"$run_dir/conf"
start_opensm "routing_engine dmodc no_fallback" "event_plugin_name espalier espalier_pause" "event_plugin_options $run_dir/conf"
wait_log "SUBNET UP"
wait_for "the reference" 60 test -s "$run_dir/state/reference"
settle
# foreseen COMMAND: for the simulator.
foreseen() {
  pause_after "$1"
  in_log "dmodc: tables were made and verified before OpenSM asked for them"
}
cable=$(switch_cables | tail -n 1)
expect "a repair ahead" foreseen "Unlink $cable"
expect "what is repaired" in_log "dmodc: repair: [1-9][0-9]* entr[a-z]* changed from the reference"
expect "sound repaired tables" judge
"$espalier" repair "$run_dir/later/discovered" --reference "$run_dir/state/reference" -o "$run_dir/wanted" 2>/dev/null
expect "the tables of espalier repair" "$espalier" diff "$run_dir/later/opensm-lfts.dump" "$run_dir/wanted"
expect "its return ahead" foreseen "Relink $cable"
expect "the first tables" in_log "dmodc: repair: 0 entries changed from the reference"
