#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# FIFOs, devices and links where files should be: the engine declines at once, OpenSM goes on with the next one, does not
# hang under its lock, and ends when it is told to. Files that others may write are named in the log.
source "$(dirname "$0")/common.sh" "$@"

two_level 4 2 3 >"$run_dir/net"
options=$run_dir/espalier.conf
: >"$options"
mkfifo "$run_dir/fifo"
start_ibsim "$run_dir/net"
echo 0x1 >"$run_dir/io"
start_opensm "routing_engine gxmodk,updn" "event_plugin_options $options" "io_guid_file $run_dir/io"
wait_log "SUBNET UP"
expect "gxmodk" in_log "gxmodk tables configured on all switches"

for line in "node_types $run_dir/fifo" "node_types /dev/zero"; do
  echo "$line" >"$options"
  resweep
  expect "$line: declines" in_log "gxmodk declines: ${line#* }: is not a regular file"
  expect "$line: updn instead" in_log "updn tables configured on all switches"
done

# A file that opensm.conf names.
: >"$options"
rm "$run_dir/io"
mkfifo "$run_dir/io"
resweep
expect "io_guid_file: declines" in_log "gxmodk declines: $run_dir/io: is not a regular file"
rm "$run_dir/io"
echo 0x1 >"$run_dir/io"

# An engine without a schedule asks for no participants; fors does.
echo "schedule_participants $run_dir/fifo" >"$options"
resweep
expect "gxmodk: no need of participants" in_log "gxmodk tables configured on all switches"

# What is written: through no link and into no FIFO.
echo precious >"$run_dir/precious"
ln -s precious "$run_dir/link"
for place in link fifo; do
  printf 'gxmodk_mode grouped\nsource_offsets_file %s\n' "$run_dir/$place" >"$options"
  resweep
  expect "$place: refused" in_log "0x01 -> espalier: gxmodk: $run_dir/$place: is not a regular file"
  expect "$place: the tables stand" in_log "gxmodk tables configured on all switches"
done
expect "precious" test "$(cat "$run_dir/precious")" = precious

# Options that are wrong: who watches the log of runs learns of it all the same.
echo "performance_log $run_dir/runs" >"$options"
resweep
printf 'performance_log %s\nbogus 1\n' "$run_dir/runs" >"$options"
resweep
expect "what was read last holds" in_log 'unknown option "bogus".*last valid options stay in force'
expect "the tables stand" in_log "gxmodk tables configured on all switches"
wait_for "a line about it" 30 grep -q '"config_error":.*unknown option' "$run_dir/runs"

# Control characters in espalier.conf reach no terminal.
printf 'thre\033[31mads \302\2331\n' >"$options"
resweep
expect "escaped" in_log 'unknown option "thre.x1b\[31mads"'
expect_not "a raw escape" grep -q $'\033' "$sm_log"

# Whoever may write it commands the routes.
: >"$options"
chmod 666 "$options"
resweep
expect "a warning" in_log "gxmodk: $options can be changed by anyone"
chmod 600 "$options"
expect "OpenSM ends when it is told to" kill -TERM "$sm_pid"
wait_for "its end" 10 eval "! kill -0 $sm_pid 2>/dev/null"

echo "schedule_participants $run_dir/fifo" >"$options"
start_opensm "routing_engine fors,updn" "event_plugin_options $options"
wait_log "SUBNET UP"
expect "participants: declines" in_log "fors declines: $run_dir/fifo: is not a regular file"
expect "participants: updn instead" in_log "updn tables configured on all switches"
