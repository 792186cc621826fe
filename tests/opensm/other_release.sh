#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# A plugin that was compiled for the other release of OpenSM, whose options have one field more or less: it is refused by
# its version, and when the version is the same, as with builds from a repository, by its layout. OpenSM runs on.
source "$(dirname "$0")/common.sh" "$@"

own=$(grep -ao 'OpenSM [0-9][0-9.]*' "$ESPALIER_BUILD/libespalier.so" | head -n 1)
other=$(grep -ao 'OpenSM [0-9][0-9.]*' "$ESPALIER_BUILD/tests/opensm/other/libespalier.so" | head -n 1)
expect "two releases" test "$own" != "$other"
two_level 4 2 3 >"$top_dir/net"

mkdir "$top_dir/version" "$top_dir/layout"
cp "$ESPALIER_BUILD/tests/opensm/other/libespalier.so" "$top_dir/version"
sed "s/$other/$own/" "$top_dir/version/libespalier.so" >"$top_dir/layout/libespalier.so"

ESPALIER_BUILD=$top_dir/version
start_ibsim "$top_dir/net"
start_opensm "routing_engine balanced,updn"
wait_log "SUBNET UP"
expect "the reason" in_log "version mismatch - plugin was built against $other version of OpenSM"
expect "the next engine of the list" in_log "updn tables configured on all switches"
stop_all

new_run "$top_dir/second"
ESPALIER_BUILD=$top_dir/layout
start_ibsim "$top_dir/net"
start_opensm "routing_engine balanced,updn"
wait_log "SUBNET UP"
expect "that OpenSM gives the plugin up" in_log "[Pp]lugin.*espalier\|espalier.*[Pp]lugin"
expect_not "our engine" in_log "balanced tables configured"
expect "the next engine of the list" in_log "updn tables configured on all switches"
