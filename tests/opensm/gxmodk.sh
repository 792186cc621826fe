#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# The case study of Gliksberg 2022, chapter 3, on XGFT(3;4,4,6;1,2,2): storage nodes on the last port of each leaf, told
# by io_guid_file or by node_types. The tables that OpenSM has uploaded have the published congestion risk of phases
# between compute and storage nodes: dmodc 4, gxmodk 1 to storage, grouped 3 back (as the mirror image of Gsmodk).
source "$(dirname "$0")/common.sh" "$@"

"$espalier" generate xgft "3;4,4,6;1,2,2" -o "$run_dir/net"
# Hosts are numbered along the leaves.
guids() { sed -n 's/^\[1\](\([0-9a-f]*\)).*"S-.*/0x\1/p' "$run_dir/net" | awk "$1"; }
guids 'NR % 4 == 0' >"$run_dir/io"
guids 'NR % 4 != 0' >"$run_dir/compute"
expect "24 storage nodes and 72 others" test "$(cat "$run_dir/io" "$run_dir/compute" | wc -l)" = 96

# risks [OPTION ...]: the worst phase to storage and the worst back, by the tables that were uploaded.
risks() {
  local dir=$run_dir/$sm_name
  "$espalier" analyze "$dir/discovered" "$dir/opensm-lfts.dump" --patterns "phase:$run_dir/compute:$run_dir/io" --json "$@" |
    sed -n 's/.*"mu_phase\(_back\)*_max": \([0-9]*\).*/\2/p' | xargs
}

options=$run_dir/espalier.conf
echo "gxmodk_mode grouped" >"$options"
start_ibsim "$run_dir/net"
sm_name=dmodc
start_opensm "routing_engine dmodc no_fallback"
wait_log "SUBNET UP"
judge
expect "4 and 4 with dmodc, not $(risks)" test "$(risks)" = "4 4"
stop "$sm_pid"

sm_name=gxmodk
start_opensm "routing_engine gxmodk minhop" "io_guid_file $run_dir/io" "event_plugin_options $options"
wait_log "SUBNET UP"
expect "gxmodk" in_log "gxmodk tables configured on all switches"
expect_not "a word about io_guid_file" in_log "io_guid_file has no effect"
judge
expect "1 and 3 with gxmodk, grouped, not $(risks)" test "$(risks)" = "1 3"

echo "gxmodk_mode interleaved" >"$options"
resweep
judge
expect "1 and 1 with gxmodk, interleaved, not $(risks)" test "$(risks)" = "1 1"

# The same from a file of rules, which is read anew at each run.
printf 'node_types %s\n' "$run_dir/types" >"$options"
{ echo "storage name no such host"; sed 's/^/storage guid /' "$run_dir/io"; echo "others compute"; } >"$run_dir/types"
resweep
expect "a word about the rule that matches nothing" in_log "gxmodk: $run_dir/types:1: no end port gets type storage"
judge
expect "1 and 1 from rules, not $(risks)" test "$(risks)" = "1 1"

echo "storage guid 7" >"$run_dir/types"
resweep
expect "a message with file and line" in_log "0x01 -> espalier: gxmodk declines: $run_dir/types:1: \"7\" is not a GUID"
expect "minhop instead" in_log "minhop tables configured on all switches"
stop "$sm_pid"

# Gsmodk: with an LMC, hosts that add what the published numbers say choose the path, which mirrors the figures.
sm_name=gsmodk
printf 'gxmodk_mode grouped\nsource_offsets_file %s\n' "$run_dir/numbers" >"$options"
start_opensm "routing_engine gxmodk no_fallback" "io_guid_file $run_dir/io" "event_plugin_options $options" "lmc 2" \
  "reassign_lids TRUE"
wait_log "SUBNET UP"
expect "a word about the numbers" in_log "gxmodk: $run_dir/numbers: sources choose among 4 paths"
judge
expect "1 and 3 by base LIDs, not $(risks)" test "$(risks)" = "1 3"
expect "3 and 1 by the numbers, not $(risks --lid-offset "$run_dir/numbers")" \
  test "$(risks --lid-offset "$run_dir/numbers")" = "3 1"

echo "source_offsets_file $run_dir/numbers" >"$options"
resweep
expect "an error that names the mode" in_log "0x01 -> .*source_offsets_file.*set gxmodk_mode grouped"
