#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# OpenSM loads the plugin, dmodc routes, and everybody who looks at the result is content.
source "$(dirname "$0")/common.sh" "$@"

two_level 6 3 4 2 >"$run_dir/net"
start_ibsim "$run_dir/net"
start_opensm "routing_engine dmodc no_fallback"
wait_log "SUBNET UP"

expect "OpenSM used dmodc" in_log "dmodc tables configured on all switches"
expect "one summary line" grep -q "espalier: dmodc: 2 levels, 9 switches, 6 leaves, 24 end ports, 33 LIDs, 0 irreg" "$sm_log"
expect_not "an error of ours" grep -q "0x01 -> espalier" "$sm_log"
judge

# The SA finds paths, and a trace follows them.
paths=$(as_host host1.1 saquery -p 2>/dev/null | grep -c PathRecord)
expect "a path record for each pair of CAs, not $paths" test "$paths" -ge $((24 * 24))
from=$(awk '/host1\.1/ && /LID/ { sub(/.*LID:/, ""); print strtonum("0x" substr($0, 1, 4)); exit }' "$run_dir/sm/opensm-subnet.lst")
to=$(awk '/host6\.4/ && /LID/ { sub(/.*LID:/, ""); print strtonum("0x" substr($0, 1, 4)); exit }' "$run_dir/sm/opensm-subnet.lst")
as_host host1.1 ibtracert "$from" "$to" >"$run_dir/trace" 2>&1
expect "a trace over a spine" grep -q "spine" "$run_dir/trace"
