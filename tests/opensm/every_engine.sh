#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Every engine that the command knows routes a perfect tree under OpenSM, and what OpenSM has uploaded is sound. One that
# OpenSM has a namesake of is called espalier-NAME there. leiserson has a tree of its own, and declines the other.
source "$(dirname "$0")/common.sh" "$@"

# routes ENGINE [OPTION ...]
routes() {
  local name=$1
  [[ $name == ftree ]] && name=espalier-ftree
  sm_name=$1
  shift
  start_opensm "routing_engine $name no_fallback" "$@"
  wait_routed
  expect "$name routes" in_log "$name tables configured on all switches"
  last_summary | sed 's/.*-> //'
  judge
  stop "$sm_pid"
}

engines=$(every_engine)
expect "a list of engines" grep -q "dmodc .*gxmodk .*leiserson .*vpgft .*ftree2 .*fors .*bfs-random" <<<"$engines"
two_level 6 3 4 2 >"$run_dir/whole"
start_ibsim "$run_dir/whole"
for engine in $engines; do
  # Those with several virtual lanes need qos TRUE: dragonfly.sh.
  [[ $engine == leiserson || $engine == dragonfly* || $engine == layers || $engine == flows ]] || routes "$engine"
done
sm_name=other
start_opensm "routing_engine leiserson,dmodc no_fallback"
wait_routed
expect "leiserson declines" in_log "leiserson is defined only for complete Leiserson trees"
expect "the next engine routes" in_log "dmodc tables configured on all switches"
stop_all

# With LIDs enough, and hosts that add what the published numbers say, no permutation congests.
new_run "$top_dir/leiserson"
"$espalier" generate leiserson 3,3 -o "$run_dir/whole"
start_ibsim "$run_dir/whole"
echo "source_offsets_file $run_dir/numbers" >"$run_dir/espalier.conf"
routes leiserson "event_plugin_options $run_dir/espalier.conf" "lmc 4"
expect "a word about the numbers" in_log "leiserson: $run_dir/numbers: sources choose among 9 paths"
most=$("$espalier" analyze "$run_dir/leiserson/discovered" "$run_dir/leiserson/opensm-lfts.dump" \
  --patterns rp:100 --lid-offset "$run_dir/numbers" --json | sed -n 's/.*"mu_rp_max": \([0-9]*\).*/\1/p')
expect "1 with any of 100 permutations, not $most" test "$most" = 1
