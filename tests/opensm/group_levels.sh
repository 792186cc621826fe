#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Partitions that ask for a service level of their multicast groups get one that unicast does not use, since on its lanes
# multicast could close a credit loop.
source "$(dirname "$0")/common.sh" "$@"

"$espalier" generate dragonfly "2,4,2,9" -o "$run_dir/net"
start_ibsim "$run_dir/net"
mkdir -p "$run_dir/sm"
printf '%s\n' "Default=0x7fff, ipoib, sl=1 : ALL=full;" "Other=0x8001, ipoib, sl=5 : ALL=full;" >"$run_dir/sm/partitions.conf"
start_opensm "routing_engine dragonfly-rlm no_fallback" "qos TRUE" "lmc 3"
wait_routed
expect "word of it" in_log "dragonfly-rlm: unicast leaves service level 1, 5 to the multicast groups of partitions"
groups=$(as_host "$(first_host)" saquery -g 2>/dev/null)
for sl in 1 5; do expect "a group with SL $sl" grep -Eq "SL\.+0x$sl$" <<<"$groups"; done

# What the switches hold: unicast is sound, and does without both; each has the lanes of SL 0 everywhere.
as_host "$(first_host)" "$espalier" verify --live --save-lanes "$run_dir/lanes" >"$run_dir/live" 2>/dev/null
expect "sound" grep -q "^sound: .* virtual lanes" "$run_dir/live"
discover "$run_dir/discovered"
switch_lid=$(sed -n 's/^Switch.* port 0 lid \([0-9]*\).*/\1/p' "$run_dir/discovered" | head -n 1)
for port in 3 6; do
  rows=$(as_host "$(first_host)" smpquery sl2vl "$switch_lid" "$port" 2>/dev/null | sed -n 's/^ports:[^|]*|//p')
  [[ -n $rows ]]
  expect "SL 1 and 5 on the lane of SL 0 by port $port: $rows" \
    awk -F'|' '$1 + 0 != $2 + 0 || $1 + 0 != $6 + 0 { bad = 1 } END { exit bad }' <<<"$rows"
done
