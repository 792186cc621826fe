#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# With use_ucast_cache OpenSM restores the tables of hosts and leaves that return, without asking us. Multicast groups
# are still ours then, built on what is really there.
source "$(dirname "$0")/common.sh" "$@"

broadcast=ff12:401b:ffff::ffff:ffff
two_level 5 3 3 >"$run_dir/net"
start_ibsim "$run_dir/net"
start_opensm "routing_engine dmodc no_fallback" "use_ucast_cache TRUE"
wait_log "SUBNET UP"
for host in host1.1 host2.2 host5.3; do expect "$host joins" joined $host $broadcast; done
resweep
expect "three leaves and a spine" test "$(mcast_switches 0xC000)" = 4
runs() { grep -c "espalier: dmodc: [0-9]* levels" "$sm_log"; }
before=$(runs)

sweep_after ibsim_cmd 'Unlink "host4.1"'
sweep_after ibsim_cmd 'Relink "host4.1"'
sweep_after ibsim_cmd 'Unlink "leaf5"'
expect "a tree without leaf5" test "$(mcast_switches 0xC000)" = 3
sweep_after ibsim_cmd 'Relink "leaf5"'
expect "host5.3 joins again" joined host5.3 $broadcast
expect "host3.1 joins" joined host3.1 $broadcast
expect "no routing run meanwhile" test "$(runs)" = "$before"

resweep
judge
expect "four leaves and a spine" test "$(mcast_switches 0xC000)" = 5
expect_not "an error about multicast" grep -q "ERR 0A\|0x01 -> espalier" "$sm_log"
