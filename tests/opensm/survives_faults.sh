#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Links, spines, leaves and hosts go and come back while OpenSM runs. It reacts to the switches' traps, and the tables
# are judged after each step.
source "$(dirname "$0")/common.sh" "$@"

two_level 5 3 3 2 >"$run_dir/net"
start_ibsim "$run_dir/net"
ibsim_cmd 'Unlink "host2.2"'
sleep 0.3
start_opensm "routing_engine dmodc no_fallback"
wait_log "SUBNET UP"
judge
expect "14 hosts" grep -q "14 end ports" <<<"$(last_summary)"

step() { # step WHAT COMMAND EXPECTED_IN_SUMMARY
  sweep_after ibsim_cmd "$2"
  expect "$1: dmodc" in_log "dmodc tables configured on all switches"
  expect "$1: $3 in: $(last_summary)" grep -q "$3" <<<"$(last_summary)"
  expect_not "$1: an error of ours" in_log "0x01 -> espalier"
  judge
}
step "host added" 'Relink "host2.2"' "15 end ports"
step "link down" 'Unlink "leaf1"[4]' "8 switches"
expect "irregularities" grep -qv " 0 irregularities" <<<"$(last_summary)"
step "link up" 'Relink "leaf1"[4]' " 0 irregularities"
step "spine down" 'Unlink "spine2"' "7 switches"
step "spine back" 'Relink "spine2"' "8 switches"
step "leaf down" 'Unlink "leaf3"' "7 switches, 4 leaves, 12 end ports"
step "leaf back" 'Relink "leaf3"' "8 switches, 5 leaves, 15 end ports"
step "host gone" 'Unlink "host4.1"' "14 end ports"
