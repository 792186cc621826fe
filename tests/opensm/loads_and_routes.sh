#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# OpenSM loads the plugin, dmodc routes, and everybody who looks at the result is content.
source "$(dirname "$0")/common.sh" "$@"

two_level 6 3 4 2 >"$run_dir/net"
start_ibsim "$run_dir/net"
start_opensm "routing_engine dmodc no_fallback"
wait_log "SUBNET UP"

expect "OpenSM used dmodc" in_log "dmodc tables configured on all switches"
expect "a summary line" grep -q "espalier: dmodc: 2 levels, 9 switches, 6 leaves, 24 end ports, 33 LIDs, 0 irreg" "$sm_log"
expect_not "an error of ours" grep -q "0x01 -> espalier" "$sm_log"
judge

# The SA finds paths, and a trace follows them over a spine.
for host in host1.2 host3.1 host6.4; do expect "a path to $host" has_path host1.1 $host; done
as_host host1.1 ibtracert "$(lid_of host2.1)" "$(lid_of host6.4)" >"$run_dir/trace" 2>&1
expect "a trace over a spine" grep -q '"spine' "$run_dir/trace"

# Nothing goes to stdout, which belongs to OpenSM.
expect_not "our text on stdout" grep -q "espalier:" "$run_dir/sm/opensm.out"
