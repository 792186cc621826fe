#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# What docs/production.md says of the way back: SIGHUP does not change the engine, a restart does, and then the switches hold
# what the old engine had there before, SL2VL tables included where qos stays TRUE.
source "$(dirname "$0")/common.sh" "$@"

held() { as_host "$(first_host)" "$espalier" convert --live --to lfts -o "$run_dir/$1.lfts" >/dev/null 2>&1; }
lanes_at() { as_host "$(first_host)" smpquery -D sl2vl 0,1 3 2>/dev/null | grep "^ports:"; }

"$espalier" generate dragonfly "2,4,2,9" -o "$run_dir/net"
start_ibsim "$run_dir/net"
sm_name=before
start_opensm "event_plugin_name (null)" "routing_engine minhop" "qos TRUE"
wait_log "SUBNET UP"
held before
lanes_before=$(lanes_at)
stop "$sm_pid"

sm_name=ours
start_opensm "routing_engine dragonfly,dmodc,updn" "qos TRUE"
wait_log "SUBNET UP"
held ours
expect_not "the lanes of minhop" test "$(lanes_at)" = "$lanes_before"
expect_not "the tables of minhop" cmp -s "$run_dir/before.lfts" "$run_dir/ours.lfts"
sed -i 's/^routing_engine .*/routing_engine minhop/' "$run_dir/ours/opensm.conf"
resweep
expect "the engine as before SIGHUP" in_log "osm_ucast_mgr_process: dragonfly tables configured"
stop "$sm_pid"

sm_name=after
start_opensm "event_plugin_name (null)" "routing_engine minhop" "qos TRUE"
wait_log "SUBNET UP"
held after
expect "the tables of before" cmp "$run_dir/before.lfts" "$run_dir/after.lfts"
expect "the lanes of before" test "$(lanes_at)" = "$lanes_before"
