#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Engine flows under OpenSM: known flows from flows_file get channels of their own, as in the command; the file is read
# anew at each sweep, and tables for a new one are made outside of OpenSM's lock; one with bad lines is answered line by
# line, and tables stay as they are.
source "$(dirname "$0")/common.sh" "$@"

two_level 4 4 4 >"$run_dir/net"
options=$run_dir/espalier.conf
flows=$run_dir/flows
echo "flows_file $flows" >"$options"
# Four hosts of one leaf send far more than all others, each to another leaf or to the same.
printf 'host1.%d host%d.1 1000\n' 1 2 2 3 3 4 >"$flows"
echo 'host1.4 host2.2 1000' >>"$flows"
start_ibsim "$run_dir/net"
start_opensm "routing_engine flows no_fallback" "qos TRUE" "event_plugin_options $options"
wait_routed
expect "flows" in_log "flows tables configured on all switches"
dir=$run_dir/$sm_name

# first_ports: by which port each known flow leaves its leaf, by the tables that OpenSM uploaded.
first_ports() {
  local from to
  while read -r from to _; do
    "$espalier" explain "$dir/discovered" "$dir/opensm-lfts.dump" --from "$from" --to "$to" |
      sed -n 's/^ *port \([0-9]*\) -> .*/\1/p' | head -n 1
  done <"$flows"
}
discover "$dir/discovered"
"$espalier" route "$dir/discovered" --engine flows --flows "$flows" --vls 15 --lanes "$dir/lanes" -o "$dir/lfts"
expect "the command's tables" "$espalier" diff "$dir/opensm-lfts.dump" "$dir/lfts"
expect "sound" "$espalier" verify "$dir/discovered" "$dir/opensm-lfts.dump" --lanes "$dir/lanes"
expect "four flows, four ports" test "$(first_ports | sort -u | wc -l)" = 4

# Bad lines: each is named with its number, and not an entry changes.
cp "$dir/opensm-lfts.dump" "$dir/before"
cp "$flows" "$run_dir/good"
printf 'host1.1 host2.1\nnobody host2.1\nhost1.1 host2.1 -3\nhost1.2 host2.1 nan\nhost1.1 host2.1 4\n' >"$flows"
resweep
expect "line 2" in_log "$flows:2: there is no host named \"nobody\""
expect "line 3" in_log "$flows:3: "
expect "line 4" in_log "$flows:4: "
expect "line 5" in_log "$flows:5: this flow is already in line 1"
expect "how many" in_log "has 4 bad lines; keeping the 4 flows of the last valid file"
expect "flows still" in_log "flows tables configured on all switches"
expect "the same tables" cmp -s "$dir/opensm-lfts.dump" "$dir/before"

# Gone, and a million bad lines.
rm "$flows"
resweep
expect "no file" in_log "flows: .*$flows"
expect "the same tables" cmp -s "$dir/opensm-lfts.dump" "$dir/before"
awk 'BEGIN { for (i = 0; i < 1000000; ++i) print "a b" }' >"$flows"
resweep
expect "how many" in_log "has 1000000 bad lines; keeping the 4 flows of the last valid file"
expect "not a line for each" test "$(log_since_mark | grep -c "there is no host named")" -le 100
expect "the same tables" cmp -s "$dir/opensm-lfts.dump" "$dir/before"

# A new good file counts as soon as its tables are made.
printf 'host4.%d host%d.3 1000\n' 1 1 2 2 3 3 4 1 >"$flows"
resweep
wait_log "flows: rebalance: .* the reference now" 60
settle
"$espalier" route "$dir/discovered" --engine flows --flows "$flows" --vls 15 -o "$dir/lfts" 2>/dev/null
expect "other tables" "$espalier" diff "$dir/opensm-lfts.dump" "$dir/lfts"
