#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# The probe: it loads next to espalier, times each engine that runs, and tells who declined.
source "$(dirname "$0")/common.sh" "$@"

export ESPALIER_PROBE_TIMES=$run_dir/times
two_level 4 2 3 >"$run_dir/net"
start_ibsim "$run_dir/net"
number=0
for engine in dmodc updn ftree minhop; do
  sm_name=sm$((++number))
  start_opensm "event_plugin_name espalier espalier_probe" "routing_engine $engine"
  wait_log "SUBNET UP"
  expect "a time of $engine" grep -qE "^$engine [0-9.]+ [0-9.]+ 0 [0-9.]+$" "$ESPALIER_PROBE_TIMES"
  stop "$sm_pid"
done

# ftree refuses LMC 1; what minhop then does is timed as minhop's.
rm "$ESPALIER_PROBE_TIMES"
sm_name=refused
start_opensm "event_plugin_name espalier espalier_probe" "routing_engine ftree" "lmc 1"
wait_log "SUBNET UP"
expect "a refusal of ftree" grep -qE "^ftree .* -[0-9]+ [0-9.]+$" "$ESPALIER_PROBE_TIMES"
expect "minhop after it" grep -qE "^minhop [0-9.]+ [0-9.]+ 0 [0-9.]+$" "$ESPALIER_PROBE_TIMES"
