#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Where no multicast tree goes with the lanes of unicast, as in some sparse graphs, multicast has one of its own:
# SL 0, which groups have, leads to it in all switches, and no path record has SL 0.
source "$(dirname "$0")/common.sh" "$@"

"$espalier" generate jellyfish "60,3,1" --seed 6 -o "$run_dir/net"
start_ibsim "$run_dir/net"
start_opensm "routing_engine layers no_fallback" "qos TRUE"
wait_routed
expect "a lane of its own" in_log "layers: multicast is alone on virtual lane [1-9] and service level 0; unicast has service level [1-9]"
lane=$(sed -n 's/.*multicast is alone on virtual lane \([0-9]*\).*/\1/p' "$sm_log" | head -n 1)

# As the switches answer, and with them the SA.
discover "$run_dir/discovered"
checked=0
for switch in $(sed -n 's/^Switch.* port 0 lid \([0-9]*\).*/\1/p' "$run_dir/discovered" | sed -n '1p;30p;60p'); do
  for port in 1 2 4; do
    rows=$(as_host "$(first_host)" smpquery sl2vl "$switch" "$port" 2>/dev/null | grep -c "|")
    alone=$(as_host "$(first_host)" smpquery sl2vl "$switch" "$port" 2>/dev/null | grep -c "out *$port: *| *$lane|" || true)
    expect "SL 0 on VL $lane in all $rows rows of LID $switch port $port, not in $alone" test "$rows" -gt 1 -a "$alone" -ge $((rows - 1))
    checked=$((checked + alone))
  done
done
as_host "$(first_host)" "$espalier" verify --live --save-lanes "$run_dir/lanes" >"$run_dir/live" 2>/dev/null
cat "$run_dir/live"
expect "sound" grep -q "^sound: .* virtual lanes" "$run_dir/live"
lids=$(sed -n 's/^\[1\](.*# lid \([0-9]*\) lmc.*/\1/p' "$run_dir/discovered" | sort -n)
record=$(as_host "$(first_host)" saquery --src-to-dst "$(head -n 1 <<<"$lids"):$(tail -n 1 <<<"$lids")" 2>/dev/null)
expect "a path record" grep -q PathRecord <<<"$record"
expect_not "SL 0 between hosts: $(grep "sl\." <<<"$record" || true)" grep -Eq '[^a-z]sl\.+0x0+$' <<<"$record"
echo "$checked rows of SL2VL tables send SL 0 to lane $lane"
