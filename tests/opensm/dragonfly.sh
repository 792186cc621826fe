#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# The dragonfly engines under OpenSM: tables and lanes are those of the command, SL2VL tables are in the switches, path
# records carry the SLs, at all LID offsets. Without quality of service the engine declines, and the next one routes.
source "$(dirname "$0")/common.sh" "$@"

"$espalier" generate dragonfly "2,4,2,9" -o "$run_dir/net"
start_ibsim "$run_dir/net"

# Without qos there are no SL2VL tables.
sm_name=noqos
start_opensm "routing_engine dragonfly,dmodc no_fallback"
wait_routed
expect "a decline in one line" in_log "dragonfly declines: dragonfly needs virtual lanes.*; set qos TRUE in opensm.conf"
expect "the next engine" in_log "dmodc tables configured on all switches"
stop "$sm_pid"

# A dragonfly has no roots for updn: OpenSM falls back to what nobody has asked for.
sm_name=noroots
start_opensm "routing_engine dragonfly,updn"
wait_routed
expect "minhop" in_log "minhop tables configured on all switches"
expect "all that declined, and what minhop means" in_log "routed by minhop, but opensm.conf asks for dragonfly first: \
dragonfly and updn declined .*; minhop, which OpenSM takes .*, can form credit loops; add dmodc"
stop "$sm_pid"

# switch_sl stands in the way, as doctor says beforehand.
echo "switch_sl 1" >"$run_dir/switch_sl"
printf '%s\n' "event_plugin_name espalier" "event_plugin_options $run_dir/switch_sl" "qos TRUE" "routing_engine dmodc,dragonfly" \
  >"$run_dir/conf"
LD_LIBRARY_PATH=$ESPALIER_BUILD "$espalier" doctor --opensm-conf "$run_dir/conf" >"$run_dir/doctor" || true
expect "a conflict: $(<"$run_dir/doctor")" grep -q "^PROBLEM event_plugin_options: switch_sl 1 conflicts .* of dragonfly" "$run_dir/doctor"
expect "one conflict" test "$(grep -c "conflicts" "$run_dir/doctor")" = 1

# same_as_command ENGINE LMC: what OpenSM uploaded is what the command computes for the same fabric, and sound on its lanes.
same_as_command() {
  local dir=$run_dir/$sm_name
  wait_for "the last sweep" 60 is_quiet # a second one, where lanes were raised, writes the dumps anew
  discover "$dir/discovered"
  "$espalier" route "$dir/discovered" --engine "$1" --vls 15 --lanes "$dir/lanes" -o "$dir/lfts" 2>"$dir/route.err"
  "$espalier" diff "$dir/opensm-lfts.dump" "$dir/lfts" >/dev/null
  "$espalier" verify "$dir/discovered" "$dir/opensm-lfts.dump" --lanes "$dir/lanes" --json >"$dir/verdict"
  expect "sound" grep -q '"ok": true' "$dir/verdict"
}

# sl2vl LID PORT: "IN: VL of SL 0 .. 15" for each in-port of a switch, as the switch says.
sl2vl() {
  as_host "$(first_host)" smpquery sl2vl "$1" "$2" 2>/dev/null |
    sed -n 's/^ports: in *\([0-9]*\), out *[0-9]*: *|\(.*\)|.*$/\1:\2/p' | tr '|' ' '
}

sm_name=minimal
start_opensm "routing_engine dragonfly no_fallback" "qos TRUE"
wait_routed
expect "a dragonfly, nothing irregular: $(last_summary)" grep -q "dragonfly of 9 groups, 36 switches.* 0 irreg" <<<"$(last_summary)"
expect_not "links within a level, as of a tree" in_log "same-level link"
expect "two lanes" in_log "dragonfly: 2 virtual lanes, 1 service level"
same_as_command dragonfly 0
# Ports 1 and 2 are hosts, 3 to 5 the group, 6 and 7 other groups.
switch_lid=$(sed -n 's/^Switch.* port 0 lid \([0-9]*\).*/\1/p' "$run_dir/$sm_name/discovered" | head -n 1)
local_out=$(sl2vl "$switch_lid" 3)
echo "$local_out"
[[ -n $local_out ]]
for in in 1 2; do expect "from host $in on VL 0" grep -Eq "^$in: *0 " <<<"$local_out"; done
for in in 4 5 6 7; do expect "from port $in on VL 1" grep -Eq "^$in: *1 " <<<"$local_out"; done
global_out=$(sl2vl "$switch_lid" 6)
for in in 1 2 3 4 5; do expect "from port $in to another group on VL 0" grep -Eq "^$in: *0 " <<<"$global_out"; done
expect "from another group on VL 1" grep -Eq "^7: *1 " <<<"$global_out"
stop "$sm_pid"

# Links that had one lane in operation: OpenSM raises them after it has cut SL2VL tables down to what they had.
sm_name=narrow
start_opensm "routing_engine dmodc no_fallback" "max_op_vls 1"
wait_routed
stop "$sm_pid"
sm_name=raised
start_opensm "routing_engine dragonfly no_fallback" "qos TRUE" "max_op_vls 2"
wait_routed
wait_for "the end of sweeps" 30 is_quiet
expect "two lanes in the switches" as_host "$(first_host)" "$espalier" verify --live
expect "one sweep more, not many" test "$(grep -c "SUBNET UP$" "$sm_log")" = 2
stop "$sm_pid"

sm_name=rlm
echo "lid_choices_file $run_dir/choices" >"$run_dir/espalier.conf"
start_opensm "routing_engine dragonfly-rlm no_fallback" "qos TRUE" "lmc 2" "reassign_lids TRUE" \
  "event_plugin_options $run_dir/espalier.conf"
wait_routed
expect "three lanes" in_log "dragonfly-rlm: 3 virtual lanes"
same_as_command dragonfly-rlm 2

"$espalier" route "$run_dir/rlm/discovered" --engine dragonfly-rlm --vls 15 --lid-choices "$run_dir/rlm/choices" -o /dev/null 2>/dev/null
expect "the weights of LID offsets that the command has" cmp "$run_dir/choices" "$run_dir/rlm/choices"

# sl_of FROM TO: the SL of a path record.
sl_of() {
  as_host "$(first_host)" saquery --src-to-dst "$1:$2" 2>/dev/null | sed -n 's/^.*[^a-z]sl\.*\(0x[0-9a-f]*\)$/\1/p' | head -n 1
}
lids=$(sed -n 's/^\[1\](.*# lid \([0-9]*\) lmc.*/\1/p' "$run_dir/$sm_name/discovered" | sort -n)
count=$(wc -l <<<"$lids")
asked=0
for from in $(sed -n '1p;20p;41p' <<<"$lids"); do
  for to in $(sed -n "2p;30p;${count}p" <<<"$lids"); do
    for offset in 0 1 2 3; do
      record=$(($(sl_of "$from" $((to + offset)))))
      computed=$("$espalier" explain "$run_dir/rlm/discovered" "$run_dir/rlm/lfts" --lanes "$run_dir/rlm/lanes" \
        --from "$from" --to $((to + offset)) --json 2>/dev/null | sed -n 's/.*"sl": \([0-9]*\).*/\1/p')
      expect "SL $computed from LID $from to LID $((to + offset)), not $record" test "$record" = "$computed"
      asked=$((asked + 1))
    done
  done
done
echo "$asked path records have the service levels of the lanes"
