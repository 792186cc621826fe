#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# The master dies, the standby takes over with the same tables, although its plugin has seen no routing run before.
#
# On fabrics of a few nodes the takeover sometimes hangs: OpenSM's state manager waits for answers in its first heavy sweep
# as master, without a limit, and never becomes master. That is between OpenSM and ibsim: on two leaves and one spine
# with a host each it did so in 3 of 160 takeovers with stock updn and no plugin, in 1 of 40 with stock updn and the plugin
# loaded, and in none of 80 with dmodc.
source "$(dirname "$0")/common.sh" "$@"

options=("routing_engine dmodc no_fallback" "sminfo_polling_timeout 500" "polling_retry_number 2")
two_level 4 2 3 >"$run_dir/net"
start_ibsim "$run_dir/net"
start_opensm "${options[@]}" "sm_priority 10"
wait_log "SUBNET UP"
expect "host1.2 joins" joined host1.2 ff12:401b:ffff::ffff:ffff
cp "$run_dir/sm/opensm-lfts.dump" "$run_dir/before"
master=$sm_pid

sm_name=standby sm_host=host3.1
start_opensm "${options[@]}" "sm_priority 5"
wait_log "Entering STANDBY state"
expect_not "a routing run of the standby" in_log "espalier: dmodc"
kill -KILL "$master"
wait_log "Entering MASTER state"
wait_log "SUBNET UP"
settle
expect "dmodc" in_log "dmodc tables configured on all switches"
expect "the master's tables" cmp "$run_dir/before" "$run_dir/standby/opensm-lfts.dump"
judge
