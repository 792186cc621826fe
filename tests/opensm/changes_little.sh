#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Same fabric, same tables: a sweep without change uploads nothing, and a cable that comes back restores the tables.
source "$(dirname "$0")/common.sh" "$@"

two_level 5 3 3 2 >"$run_dir/net"
start_ibsim "$run_dir/net"
start_opensm "routing_engine dmodc no_fallback"
wait_log "SUBNET UP"
cp "$run_dir/sm/opensm-lfts.dump" "$run_dir/before"

resweep
expect "no change: $(last_summary)" grep -q "; 0 entries changed in 0 blocks" <<<"$(last_summary)"
sweep_after ibsim_cmd 'Unlink "spine2"'
expect_not "unchanged tables without a spine" cmp -s "$run_dir/before" "$run_dir/sm/opensm-lfts.dump"
sweep_after ibsim_cmd 'Relink "spine2"'
expect "the tables from before" cmp "$run_dir/before" "$run_dir/sm/opensm-lfts.dump"

# So does another OpenSM that starts afresh and finds the LIDs and tables in place.
stop "$sm_pid"
sm_name=second
start_opensm "routing_engine dmodc no_fallback"
wait_log "SUBNET UP"
expect "the same tables from a second OpenSM" cmp "$run_dir/before" "$run_dir/second/opensm-lfts.dump"
