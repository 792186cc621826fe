#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# While OpenSM is down a link comes up at 1x in place of 4x. Tables of the reference are repaired: flows leave the link. Then
# it is as before, and so are the tables.
source "$(dirname "$0")/common.sh" "$@"

"$espalier" generate pgft "2;4,6;1,4;1,1" -o "$run_dir/whole"
"$espalier" modify "$run_dir/whole" --throttled-links 1 --seed 1001 -o "$run_dir/slower"
printf '%s\n' "state_directory $run_dir/state" "rebalance_quiet_seconds 100000" >"$run_dir/conf"
reference=$run_dir/state/reference

# sm_on NET: OpenSM on this fabric until the subnet is up.
sm_on() {
  start_ibsim "$1"
  start_opensm "routing_engine balanced no_fallback" "event_plugin_options $run_dir/conf"
  wait_log "SUBNET UP"
  wait_for "the reference" 60 test -s "$reference"
  settle
}
lfts=$run_dir/sm/opensm-lfts.dump

sm_on "$run_dir/whole"
cp "$lfts" "$run_dir/first"
stop_all

sm_on "$run_dir/slower"
discover "$run_dir/now.net"
if ! grep -q "1x" "$run_dir/now.net"; then
  echo "skipped: this ibsim knows no link at 1x"
  exit 77
fi
expect "a repair" in_log "balanced: repair: "
expect_not "the tables of the first run" cmp -s "$lfts" "$run_dir/first"
expect "sound tables" judge
"$espalier" repair "$run_dir/now.net" --reference "$reference" -o "$run_dir/now.lfts" 2>/dev/null
expect "the repair of the reference" "$espalier" diff "$run_dir/now.lfts" "$lfts"
stop_all

sm_on "$run_dir/whole"
expect "the tables of the first run" "$espalier" diff "$run_dir/first" "$lfts"
