#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Engines with virtual lanes have a head start as well: their tables and lanes are those that a run makes. If a host
# goes before the first run, the subnet is another one than was foreseen, and what was made for it is not used.
source "$(dirname "$0")/common.sh" "$@"

# is_sound_live: tables, SL2VL tables and path records, as the fabric has them.
is_sound_live() {
  settle
  as_host "$(first_host)" "$espalier" verify --live --traffic end-ports >"$run_dir/verdict" 2>"$run_dir/verify.err" || true
  expect "sound: $(<"$run_dir/verdict")" grep -q "^sound: .* virtual lanes" "$run_dir/verdict"
}

# on FABRIC SPEC ENGINE LMC: the tables of the command, on their lanes.
on() {
  new_run "$top_dir/$1-$3-$4"
  "$espalier" generate "$1" "$2" -o "$run_dir/net"
  start_ibsim "$run_dir/net"
  expect "a head start of $3, LMC $4" has_head_start "$3" "qos TRUE" "lmc $4"
  is_sound_live
  expect "one head start" test "$(grep -c "$ahead" "$sm_log")" = 1
  discover "$run_dir/discovered"
  "$espalier" route "$run_dir/discovered" --engine "$3" --vls 15 --lanes "$run_dir/lanes" -o "$run_dir/wanted"
  expect "the tables of $3" "$espalier" diff "$run_dir/$sm_name/opensm-lfts.dump" "$run_dir/wanted"
  stop_all
}
on dragonfly "2,4,2,9" dragonfly-rlm 0
on dragonfly "2,4,2,9" dragonfly-rlm 2
on jellyfish "30,6,3" layers 0

# A large fabric begins with the tables of another engine.
new_run "$top_dir/quick"
"$espalier" generate jellyfish "300,5,1" --seed 2003 -o "$run_dir/net"
start_ibsim "$run_dir/net"
expect "a head start of updown" has_head_start layers "qos TRUE" "max_op_vls 2"
expect "quick tables" in_log "layers: the first tables are those of engine updown"
stop_all

# From state_directory tables are repaired, ahead of the run as well.
new_run "$top_dir/state"
"$espalier" generate jellyfish "30,6,3" -o "$run_dir/net"
mkdir -m 700 "$run_dir/saved"
printf '%s\n' "state_directory $run_dir/saved" "rebalance never" >"$run_dir/conf"
start_ibsim "$run_dir/net"
start_opensm "routing_engine layers no_fallback" "qos TRUE" "event_plugin_options $run_dir/conf"
wait_for "a reference" 60 test -s "$run_dir/saved/reference"
settle
stop "$sm_pid"
cable=$(switch_cables | sed -n 1p)
[[ -n $cable ]]
ibsim_cmd "Unlink $cable"
expect "a head start with a reference" has_head_start layers "qos TRUE" "reassign_lids FALSE" "event_plugin_options $run_dir/conf"
expect "a repair" in_log "layers: repair: [1-9][0-9]* entr[a-z]* changed from the reference"
is_sound_live
discover "$run_dir/discovered"
"$espalier" repair "$run_dir/discovered" --reference "$run_dir/saved/reference" -o "$run_dir/wanted"
expect "the tables of the command" "$espalier" diff "$run_dir/$sm_name/opensm-lfts.dump" "$run_dir/wanted"
stop_all

# Between discovery and LIDs a host goes.
new_run "$top_dir/gone"
"$espalier" generate dragonfly "2,4,2,9" -o "$run_dir/net"
start_ibsim "$run_dir/net"
export ESPALIER_PAUSE=$run_dir/pause
touch "$ESPALIER_PAUSE"
sm_name=sm
start_opensm "routing_engine dragonfly-rlm no_fallback" "qos TRUE" "reassign_lids TRUE" "event_plugin_name espalier espalier_pause"
sleep 2 # to discover 36 switches takes less
host=$(sed -n 's/^Ca[^"]*\("[^"]*"\).*/\1/p' "$net_file" | tail -n 1)
[[ -n $host ]]
ibsim_cmd "Unlink $host"
sleep 0.5
rm "$ESPALIER_PAUSE"
# A sweep in which a port gives no answer ends without routes. The next one finds the subnet without the host.
wait_log "ERRORS DURING INITIALIZATION\|SUBNET UP"
resweep
expect "routes" in_log "dragonfly-rlm: dragonfly of 9 groups, 36 switches, .* 71 end ports"
expect_not "tables for a host that is gone" grep -q "$ahead" "$sm_log"
is_sound_live
stop_all

# Later runs have one as well, here while OpenSM pauses behind its discovery.
new_run "$top_dir/later"
"$espalier" generate jellyfish "30,6,3" -o "$run_dir/net"
mkdir -m 700 "$run_dir/saved"
printf '%s\n' "state_directory $run_dir/saved" "rebalance never" >"$run_dir/conf"
start_ibsim "$run_dir/net"
export ESPALIER_PAUSE=$run_dir/pause
start_opensm "routing_engine layers no_fallback" "qos TRUE" "event_plugin_options $run_dir/conf" "event_plugin_name espalier espalier_pause"
wait_for "a reference" 60 test -s "$run_dir/saved/reference"
settle
pause_after "Unlink $(switch_cables | tail -n 1)"
expect "tables before OpenSM asks" in_log "layers: tables were made and verified before OpenSM asked for them"
expect "a repair ahead" in_log "layers: repair: [1-9][0-9]* entr[a-z]* changed from the reference"
is_sound_live
discover "$run_dir/discovered"
"$espalier" repair "$run_dir/discovered" --reference "$run_dir/saved/reference" -o "$run_dir/wanted"
expect "the tables of espalier repair" "$espalier" diff "$run_dir/sm/opensm-lfts.dump" "$run_dir/wanted"
