#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Who sets an option of another engine is told that it has no effect here; who does not, is not.
source "$(dirname "$0")/common.sh" "$@"

two_level 4 2 3 >"$run_dir/net"
start_ibsim "$run_dir/net"
sm_name=plain
start_opensm "event_plugin_name espalier" "routing_engine dmodc no_fallback"
wait_log "SUBNET UP"
expect "silence about options that are not set" bash -c "! grep -q 'has no effect here' '$sm_log'"
stop "$sm_pid"

sm_name=told
start_opensm "event_plugin_name espalier" "routing_engine dmodc no_fallback" "max_reverse_hops 3" "scatter_ports 8" \
  "avoid_throttled_links TRUE"
wait_log "SUBNET UP"
expect "a word about max_reverse_hops" grep -q "max_reverse_hops has no effect here" "$sm_log"
expect "a word about avoid_throttled_links" grep -q "avoid_throttled_links has no effect here" "$sm_log"
expect "a word about scatter_ports" grep -q "scatter_ports has no effect here" "$sm_log"
