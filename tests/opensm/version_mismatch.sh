#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# A plugin for another OpenSM is refused with both versions in the log, and OpenSM runs on without it.
source "$(dirname "$0")/common.sh" "$@"

version=$(grep -ao 'OpenSM [0-9][0-9.]*' "$ESPALIER_BUILD/libespalier.so" | head -n 1)
sed "s/$version/${version%?}#/" "$ESPALIER_BUILD/libespalier.so" >"$run_dir/libespalier.so"
ESPALIER_BUILD=$run_dir
two_level 4 2 3 >"$run_dir/net"
start_ibsim "$run_dir/net"
start_opensm "routing_engine dmodc"
wait_log "SUBNET UP"
expect "the reason" in_log "version mismatch - plugin was built against ${version%?}# version of OpenSM"
expect "the consequence" in_log "cannot find or setup routing engine 'dmodc'"
expect "minhop" in_log "minhop tables configured on all switches"
