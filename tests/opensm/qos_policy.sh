#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Service levels that qos-policy.conf, partitions.conf and qos_sl2vl ask for. With an engine that has lanes, paths and switches
# keep what its lanes need, and the log names each of these lines; with an engine of one lane they have their effect. Lanes
# that are beyond a port's table of VL arbitration are not used.
source "$(dirname "$0")/common.sh" "$@"

# policy LEVEL: all paths from the subnet manager's host on this service level.
policy() {
  printf '%s\n' port-groups port-group "name: here" "node-type: SELF" end-port-group end-port-groups \
    qos-levels qos-level "name: DEFAULT" "sl: 0" end-qos-level qos-level "name: wish" "sl: $1" end-qos-level end-qos-levels \
    qos-match-rules qos-match-rule "source: here" "qos-level-name: wish" end-qos-match-rule end-qos-match-rules
}
# sls: the service levels of paths from that host, in the order of LIDs.
sls() {
  discover "$run_dir/discovered"
  local lids lid
  mapfile -t lids < <(sed -n 's/^\[1\](.*# lid \([0-9]*\) lmc.*/\1/p' "$run_dir/discovered" | sort -n)
  local here
  here=$(sed -n "/\"$(first_host)\"/,/^\$/s/^\[1\](.*# lid \([0-9]*\) lmc.*/\1/p" "$run_dir/discovered" | head -n 1)
  for lid in "${lids[@]}"; do
    [[ $lid == "$here" ]] || as_host "$(first_host)" saquery --src-to-dst "$here:$lid" 2>/dev/null |
      sed -n 's/^.*[^a-z]sl\.*\(0x[0-9a-f]*\)$/\1/p' | head -n 1
  done
}

"$espalier" generate jellyfish "12,5,1" --seed 2 -o "$run_dir/net"
start_ibsim "$run_dir/net"
policy 3 >"$run_dir/qos-policy.conf"
lines=("qos TRUE" "qos_policy_file $run_dir/qos-policy.conf" "qos_sl2vl 0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0")

mkdir -p "$run_dir/layers"
echo "Default=0x7fff, ipoib, sl=2 : ALL=full;" >"$run_dir/layers/partitions.conf"
sm_name=layers
start_opensm "routing_engine layers no_fallback" "${lines[@]}"
wait_routed
for line in "qos_sl2vl has no effect" "any service level in $run_dir/qos-policy.conf has no effect" \
  "sl=2 of partition Default is for its multicast groups alone"; do
  expect "word of it: $line" in_log "espalier: layers: $line"
done
as_host "$(first_host)" "$espalier" verify --live >"$run_dir/verdict" 2>/dev/null
expect "sound on several lanes: $(<"$run_dir/verdict")" grep -q "^sound: .* on [2-9] virtual lanes" "$run_dir/verdict"
given=$(sls | sort -u | tr '\n' ' ')
expect_not "the policy's service level: $given" grep -q 0x3 <<<"$given"
stop "$sm_pid"

sm_name=dmodc
start_opensm "routing_engine dmodc no_fallback" "${lines[@]}"
wait_routed
expect_not "word of lines that have an effect" in_log "has no effect here"
expect "the policy's service level" test "$(sls | sort -u | tr '\n' ' ')" = "0x3 "
stop "$sm_pid"

# Ports of ibsim have room for 8 entries.
sm_name=entries
start_opensm "routing_engine layers no_fallback" "qos TRUE" "qos_vlarb_high 0:0" \
  "qos_vlarb_low 0:64,1:64,0:64,1:64,0:64,1:64,0:64,1:64,2:64,3:64"
wait_routed
expect "two lanes" in_log "has a weight for lane 2 among the entries that ports have room for, .*: 2 are used"
expect "no third lane" in_log "layers: 2 virtual lanes"
switch_lid=$(sed -n 's/^Switch.* port 0 lid \([0-9]*\).*/\1/p' "$run_dir/discovered" | head -n 1)
as_host "$(first_host)" smpquery vlarb "$switch_lid" 2 >"$run_dir/vlarb" 2>/dev/null
expect "lane 1 in the switch, and nothing beyond: $(<"$run_dir/vlarb")" grep -q "^VL *: |0x0 |0x1 |" "$run_dir/vlarb"
expect_not "lane 2 in the switch" grep -q "^VL .*0x2 *|" "$run_dir/vlarb"
