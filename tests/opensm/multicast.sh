#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Multicast trees: IPoIB's broadcast group and a group of our own, joins and leaves, a lost root, hosts on one switch.
source "$(dirname "$0")/common.sh" "$@"

broadcast=ff12:401b:ffff::ffff:ffff
own=ff15:a01b:fe80::1:2
two_level 6 3 3 >"$run_dir/net"
start_ibsim "$run_dir/net"
options=$run_dir/espalier.conf
: >"$options"
start_opensm "routing_engine dmodc no_fallback" "event_plugin_options $options"
wait_log "SUBNET UP"

for host in host1.1 host1.2 host4.3; do expect "$host joins" joined $host $broadcast; done
for host in host2.1 host2.2; do expect "$host joins" joined $host $own; done
expect "a send-only member" as_host host5.1 "$ESPALIER_BUILD/mcast_member" send-only $own >/dev/null
resweep
expect "two leaves and a spine for the broadcast group" test "$(mcast_switches 0xC000)" = 3
expect "the sender's leaf, a spine and a leaf" test "$(mcast_switches 0xC001)" = 3
judge
groups_before=$(cat "$run_dir/sm/opensm.mcfdbs")

# A root that goes takes its groups to another one; when it is back so are the trees.
for spine in spine1 spine2 spine3; do
  sweep_after ibsim_cmd "Unlink \"$spine\""
  expect "both trees without $spine" test "$(mcast_switches 0xC000)$(mcast_switches 0xC001)" = 33
  judge
  sweep_after ibsim_cmd "Relink \"$spine\""
  expect "the trees from before" test "$(cat "$run_dir/sm/opensm.mcfdbs")" = "$groups_before"
done

# Leaving takes the branch away, without any routing run; the remaining members of one leaf need no spine.
expect "host4.3 leaves" left host4.3 $broadcast
resweep
expect "one switch for the broadcast group" test "$(mcast_switches 0xC000)" = 1
expect "host4.3 joins again" joined host4.3 $broadcast
expect "host6.1 joins as well" joined host6.1 $broadcast
resweep
expect "three leaves and a spine" test "$(mcast_switches 0xC000)" = 4
judge

# None of this needs OpenSM's hop tables.
groups_before=$(cat "$run_dir/sm/opensm.mcfdbs")
echo "hop_tables none" >"$options"
resweep
expect "no hop tables" grep -q "HOPS UNKNOWN" "$run_dir/sm/opensm.fdbs"
expect "the same trees" test "$(cat "$run_dir/sm/opensm.mcfdbs")" = "$groups_before"
expect_not "an error about multicast" grep -q "ERR 0A\|0x01 -> espalier" "$sm_log"
