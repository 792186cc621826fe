#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Every engine that the command knows routes a perfect tree under OpenSM, and what OpenSM has uploaded is sound. One that
# OpenSM has a namesake of is called espalier-NAME there.
source "$(dirname "$0")/common.sh" "$@"

two_level 6 3 4 2 >"$run_dir/whole"
start_ibsim "$run_dir/whole"
engines=$(every_engine)
expect "a list of engines" grep -q "dmodc .*gxmodk .*ftree2 .*fors .*bfs-random" <<<"$engines"
for engine in $engines; do
  case $engine in
    ftree) name=espalier-ftree ;;
    *) name=$engine ;;
  esac
  sm_name=$engine
  unset log_mark
  start_opensm "routing_engine $name no_fallback"
  wait_log "SUBNET UP\|No routing engine able"
  expect "$name routes" in_log "$name tables configured on all switches"
  last_summary | sed 's/.*-> //'
  judge
  stop "$sm_pid"
done
