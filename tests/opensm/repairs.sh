#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# balanced starts with its closed form, searches outside of OpenSM's lock, and asks for a sweep. From then on its tables
# are repaired: what OpenSM has after a fault is what `espalier repair` makes of the reference in state_directory, and
# what returns brings the first tables back. A restart finds the reference; files that are none are told of.
source "$(dirname "$0")/common.sh" "$@"

# A tree with something to search for.
"$espalier" generate pgft "3;6,4,6;1,4,4;1,1,1" -o "$run_dir/whole"
"$espalier" degrade "$run_dir/whole" --links 9 --seed 1001 -o "$run_dir/net"

reference=$run_dir/state/reference
conf() {
  printf '%s\n' "state_directory $run_dir/state" "metrics_file $run_dir/prom" "performance_log $run_dir/runs" "$@" \
    >"$run_dir/conf"
}
sm() {
  start_opensm "routing_engine balanced no_fallback" "event_plugin_options $run_dir/conf" "$@"
  wait_log "SUBNET UP"
}
lfts=$run_dir/sm/opensm-lfts.dump
same_tables() { expect "the tables of $2" "$espalier" diff "$1" "$2"; }
changed() { sed -n 's/.*apply [0-9.]*; \([0-9]*\) entr[a-z]* changed.*/\1/p' <<<"$(last_summary)"; }
offline() {
  discover "$run_dir/now.net"
  "$espalier" repair "$run_dir/now.net" --reference "$reference" -o "$run_dir/now.lfts" 2>"$run_dir/now.err"
  same_tables "$run_dir/now.lfts" "$lfts"
}

conf "rebalance_quiet_seconds 100000"
start_ibsim "$run_dir/net"
sm
wait_log "balanced: rebalance: .* the reference now" 120
wait_for "the reference" 120 test -s "$reference"
settle
expect "a sweep that we asked for" test "$(grep -c "espalier: balanced: [0-9]* levels" "$sm_log")" -ge 2
expect "the last run repairs" in_log "balanced: repair: 0 entries"
expect "routes that move" test "$(changed)" -gt 0
judge
offline
cp "$lfts" "$run_dir/first.lfts"

mapfile -t cables < <(sed -n '/^Switch.*"leaf 2"/,/^$/s/^\(\[[0-9]*\]\)\t"S-.*/\1/p' "$net_file")
leaf=$(sed -n 's/^Switch[^"]*\("[^"]*"\).*"leaf 2".*/\1/p' "$net_file")
spine=$(sed -n 's/^Switch[^"]*\("[^"]*"\).*"L3 [0-9.]*".*/\1/p' "$net_file" | tail -n 1)
host=$(sed -n 's/^Ca[^"]*\("[^"]*"\).*/\1/p' "$net_file" | tail -n 1)
for what in "$leaf${cables[0]}" "$spine" "$host"; do
  sweep_after ibsim_cmd "Unlink $what"
  expect "a repair" in_log "balanced: repair: [0-9]* entries"
  judge
  offline
done
for what in "$host" "$spine" "$leaf${cables[0]}"; do sweep_after ibsim_cmd "Relink $what"; done
judge
same_tables "$run_dir/first.lfts" "$lfts"

# What programs are told: a line per run, and all that the dashboard shows.
runs() { grep -c "espalier: balanced: [0-9]* levels" "$sm_log"; }
all_noted() { [[ $(wc -l <"$run_dir/runs") == $(runs) ]]; }
wait_for "a line for each run" 120 all_noted
"$espalier" watch "$run_dir/runs" --once >"$run_dir/watched"
expect "all runs" grep -q "^$(runs) runs at the end" "$run_dir/watched"
expect "a repair" grep -q "balanced *repaired" "$run_dir/watched"
for metric in $(grep -o 'espalier_[a-z_]*' "$test_dir/../../conf/grafana-dashboard.json" | sort -u); do
  expect "$metric in metrics_file" grep -q "^# TYPE $metric " "$run_dir/prom"
done

# A restart in which a cable has gone meanwhile: the reference is taken up, and only what broke moves.
stop "$sm_pid"
ibsim_cmd "Unlink $leaf${cables[0]}"
sm
expect "the state" in_log "balanced: the reference was read from $reference"
expect "a repair" in_log "balanced: repair: [1-9][0-9]* entries"
expect_not "the closed form" in_log "balanced: rebalance"
judge
offline

# Quiet: new tables are searched for, and are the reference if they gain enough.
conf "rebalance now"
sweep_after kill -HUP "$sm_pid"
wait_log "balanced: rebalance: .* the reference now" 120
settle
expect "the last run repairs nothing" in_log "balanced: repair: 0 entries"
judge
offline

# Hosts in another order, and then another order in the same file: new tables are searched for, though nothing broke.
hosts() { sed -n '/^Ca/,/^$/s/^\[1\](\([0-9a-f]*\)).*/0x\1/p' "$run_dir/now.net" | sort "$@" >"$run_dir/hosts"; }
conf "rebalance never" "host_order $run_dir/hosts"
for how in -u -r; do
  hosts $how
  sweep_after kill -HUP "$sm_pid"
  wait_log "balanced: rebalance: .* the reference now" 120
  settle
  judge
done

# Files that are none: other content, a FIFO, another fabric, another owner's rights.
refused() { # refused WHY: balanced starts anew, and a sweep with what its search has found writes the dumps again.
  stop "$sm_pid"
  sm
  expect "one line about $1" test "$(grep -c "$reference is ignored: .*$1" "$sm_log")" = 1
  wait_log "balanced: rebalance: " 120
  settle
  judge
}
conf "rebalance never"
wait_for "the reference" 120 test -s "$reference"
cp "$reference" "$run_dir/good"
head -c 1000 "$run_dir/good" >"$reference"
refused "size"
wait_for "a new reference" 120 cmp -s -n 8 "$reference" "$run_dir/good"
rm "$reference" && mkfifo "$reference"
refused "regular file"
rm "$reference"
"$espalier" generate pgft "2;4,4;1,2;1,1" -o "$run_dir/foreign"
sed -i 's/0002c9/0002ca/g' "$run_dir/foreign"
"$espalier" route "$run_dir/foreign" --engine balanced --save-reference "$reference" -o /dev/null 2>/dev/null
refused "switches of this fabric"
"$espalier" route "$run_dir/foreign" --engine dmodc --save-reference "$reference" -o /dev/null 2>/dev/null
refused "made by the engine dmodc"
chmod 666 "$reference"
refused "changed by"
