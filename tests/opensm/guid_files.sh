#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# root_guid_file and cn_guid_file are read at each run; a broken or missing one makes the engine decline with file and
# line, and the next sweep after the repair is ours.
source "$(dirname "$0")/common.sh" "$@"

guid_of() { sed -n "s/^{ [A-Z]* [^}]*NodeGUID:\([0-9A-Fa-f]*\)[^}]*{$1} .*/0x\1/p" "$run_dir/sm/opensm-subnet.lst" | head -n 1; }

two_level 4 2 3 >"$run_dir/net"
roots=$run_dir/roots
printf 'spine1\n' >"$roots"
start_ibsim "$run_dir/net"
start_opensm "routing_engine dmodc,minhop" "root_guid_file $roots"
wait_log "SUBNET UP"
expect "a message with file and line" in_log "0x01 -> espalier: dmodc declines: $roots:1: "
expect "minhop instead" in_log "minhop tables configured on all switches"

printf '# by GUID of the switch\n%s\n%s\n' "$(guid_of spine1)" "$(guid_of spine2)" >"$roots"
resweep
expect "dmodc" in_log "dmodc tables configured on all switches"
expect "two levels: $(last_summary)" grep -q "2 levels, 6 switches, 4 leaves" <<<"$(last_summary)"
judge

# The tree hangs from what the file names: with a leaf as the root it gets deeper.
guid_of leaf1 >"$roots"
resweep
expect "dmodc below leaf1" in_log "dmodc tables configured on all switches"
expect "three levels: $(last_summary)" grep -q "3 levels" <<<"$(last_summary)"
judge

echo 0xdead >"$roots"
resweep
expect "a message about unknown roots" in_log "0x01 -> espalier: dmodc declines: .*root"
rm "$roots"
resweep
expect "a message about the missing file" in_log "0x01 -> espalier: dmodc declines: $roots: "
expect "a living OpenSM" kill -0 "$sm_pid"
