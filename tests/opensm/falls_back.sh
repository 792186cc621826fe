#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# A broken options file: the engine declines with file and line, OpenSM goes on with the next engine, and when the file
# has been repaired the next sweep is ours. Later an unreadable file moves no route: what was read last holds.
source "$(dirname "$0")/common.sh" "$@"

two_level 4 2 3 >"$run_dir/net"
options=$run_dir/espalier.conf
printf 'threads 1\nthredas 2\n' >"$options"
start_ibsim "$run_dir/net"
start_opensm "routing_engine dmodc,updn" "event_plugin_options $options"
wait_log "SUBNET UP"
expect "a message with file and line" in_log "0x01 -> espalier: dmodc declines: $options:2: unknown option \"thredas\""
expect "updn instead" in_log "updn tables configured on all switches"
expect "one line about what routes now" \
  in_log "espalier: the subnet is routed by updn, but opensm.conf asks for dmodc first: dmodc declined"

echo "threads 1" >"$options"
resweep
expect "dmodc after the repair" in_log "dmodc tables configured on all switches"
judge

rm "$options"
resweep
expect "a message about the missing file, and what holds now" \
  in_log "$options: cannot open: No such file.*the last valid options stay in force"
expect "dmodc all the same" in_log "dmodc tables configured on all switches"
resweep
expect_not "the message once more" in_log "cannot open"

: >"$options"
resweep
expect "dmodc with an empty file" in_log "dmodc tables configured on all switches"
expect "a living OpenSM" kill -0 "$sm_pid"
