#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# OpenSM's sweeping thread has real-time priority from the end of its discovery until it has routed, if the first engine is
# ours, and at most for 10 s. Where that is refused nothing else changes.
source "$(dirname "$0")/common.sh" "$@"

if ! chrt -r 1 true 2>/dev/null; then
  echo "skipped: real-time priority is refused here"
  exit 77
fi
two_level 4 2 3 >"$run_dir/net"
start_ibsim "$run_dir/net"
common=0 realtime=2 # SCHED_OTHER, SCHED_RR
refused="espalier: real-time priority is refused"

# start NAME CONF LINE ...: CONF is a line of espalier.conf.
start() {
  sm_name=$1
  export ESPALIER_POLICIES=$run_dir/$1.policies
  : >"$ESPALIER_POLICIES"
  printf '%s\n' "$2" >"$run_dir/conf"
  start_opensm "event_plugin_name espalier espalier_pause" "event_plugin_options $run_dir/conf" "${@:3}"
  wait_routed
  settle
}
# has WHAT POLICY: in each sweep.
has() { [[ $(grep "^$1 " "$ESPALIER_POLICIES" | sort -u) == "$1 $2" ]]; }

start ours "" "routing_engine balanced,updn"
resweep
expect "common priority while OpenSM discovers" has begun $common
expect "real-time priority then" has discovered $realtime
expect "its end" has routed $common
expect_not "a refusal" grep -q "$refused" "$sm_log"

export ESPALIER_PAUSE=$run_dir/pause
stop "$sm_pid"
start paused "" "routing_engine balanced,updn"
pause_after "$(printf 'Unlink %s' "$(switch_cables | tail -n 1)")"
expect "real-time priority for a pause of two seconds" has paused $realtime
: >"$ESPALIER_POLICIES"
pause_after "$(printf 'Relink %s' "$(switch_cables | tail -n 1)")" sleep 10
expect "common priority after ten" has paused $common
expect "a line in the log" grep -q "espalier: routing has not ended in time" "$sm_log"
: >"$ESPALIER_POLICIES"
resweep
expect "real-time priority in the next sweep" has discovered $realtime
stop "$sm_pid"

start others "" "routing_engine updn,balanced"
expect "common priority, if the first engine is not ours" has discovered $common
stop "$sm_pid"

start normal "thread_priority normal" "routing_engine balanced,updn"
expect "common priority, if it is wanted" has discovered $common
stop "$sm_pid"

printf '#!/bin/sh\nexec setpriv --bounding-set=-sys_nice %s "$@"\n' "$opensm_program" >"$run_dir/opensm"
chmod +x "$run_dir/opensm"
opensm_program=$run_dir/opensm
start refused "" "routing_engine balanced,updn"
resweep
expect "common priority, where it is refused" has discovered $common
expect "one line in the log" test "$(grep -c "$refused" "$sm_log")" = 1
expect "routes by balanced" grep -q "balanced tables configured on all switches" "$sm_log"
