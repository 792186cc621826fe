#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# sftree under the real OpenSM: every switch has a path to every other, as ibtracert walks it; opensm.fdbs has the hops of
# the path that packets take; paths between switches have the service level that espalier.conf gives them.
source "$(dirname "$0")/common.sh" "$@"

# As conf/opensm.conf.example suggests them.
mapfile -t lane_lines < <(sed -n 's/^#\(qos.*\)/\1/p' "$test_dir/../../conf/opensm.conf.example")
expect "lines for a lane" test ${#lane_lines[@]} -gt 3
options=$run_dir/espalier.conf
echo "switch_sl 1" >"$options"
start_ibsim "$test_dir/../fabrics/three_level_tree.net"
start_opensm "routing_engine sftree no_fallback" "event_plugin_options $options" "${lane_lines[@]}"
wait_log "SUBNET UP"
expect "sftree" in_log "sftree tables configured on all switches"
judge

# links_between A B: of the path that ibtracert finds.
links_between() { as_host h0 ibtracert "$(lid_of "$1")" "$(lid_of "$2")" | grep -c -e "->" || true; }
# hops_in_dump A B: how long A's path to B is by opensm.fdbs.
hops_in_dump() {
  local guid
  guid=$(sed -n "s/^{ SW [^}]* NodeGUID:\([0-9a-f]*\) [^}]*{$1} .*/\1/p" "$run_dir/$sm_name/opensm-subnet.lst" | head -n 1)
  awk -v guid="0x$guid" -v lid="$(printf '0x%04X' "$(lid_of "$2")")" \
    '/ Switch / { here = $NF == guid } here && $1 == lid { print $5 + 0 }' "$run_dir/$sm_name/opensm.fdbs"
}
switches="L0 L3 M0 M1 T0 T3"
for a in $switches; do
  for b in $switches; do
    [[ $a == "$b" ]] && continue
    links=$(links_between "$a" "$b")
    expect "a path from $a to $b" test "$links" -gt 0
    expect "$links hops from $a to $b in opensm.fdbs, not $(hops_in_dump "$a" "$b")" \
      test "$(hops_in_dump "$a" "$b")" -eq "$links"
  done
done

# sl_between FROM TO, by the SA.
sl_between() { as_host h0 saquery --src-to-dst "$(lid_of "$1"):$(lid_of "$2")" 2>/dev/null | sed -n 's/^[[:space:]]*sl\.*0x//p' | head -n 1; }
expect "SL 1 between switches, not $(sl_between T0 T3)" test "$(sl_between T0 T3)" = 1
expect "service level 1 on lane 1" grep -q ": 0  1  0  0" "$run_dir/$sm_name/opensm-sl2vl.dump"
expect "SL 0 between hosts, not $(sl_between h0 h7)" test "$(sl_between h0 h7)" = 0
expect "SL 0 from host to switch, not $(sl_between h0 T3)" test "$(sl_between h0 T3)" = 0

# Without qos nobody tells switches what to do with it.
expect_not "word of it" in_log "switch_sl 1: without qos TRUE"
stop "$sm_pid"
sm_name=noqos
start_opensm "routing_engine sftree no_fallback" "event_plugin_options $options"
wait_log "SUBNET UP"
expect "word of it" in_log "switch_sl 1: without qos TRUE in opensm.conf OpenSM assigns it no lane"
