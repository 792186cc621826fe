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
stop "$sm_pid"

# With an engine of OpenSM's own in the list, as the doctor foretells.
sm_name=listed
start_opensm "routing_engine dmodc,updn"
wait_log "SUBNET UP"
expect "updn" in_log "updn tables configured on all switches"
doctor=$(LD_LIBRARY_PATH=$run_dir "$espalier" doctor --opensm-conf "$run_dir/listed/opensm.conf" || true)
expect "what follows" grep -q "^PROBLEM versions: .* use the first of its own engines in routing_engine, or minhop" <<<"$doctor"
