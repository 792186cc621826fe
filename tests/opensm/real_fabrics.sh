#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Every fabric in tests/fabrics, and in the directory that ESPALIER_FABRICS names, comes up with dmodc and nothing else.
source "$(dirname "$0")/common.sh" "$@"

seen=0
for net in "$test_dir"/../fabrics/*.net ${ESPALIER_FABRICS:+"$ESPALIER_FABRICS"/*.net}; do
  [[ -r $net ]] || continue
  seen=$((seen + 1))
  name=$(basename "$net" .net)
  echo "$name"
  new_run "$run_dir/../$(basename "$run_dir")/$name"
  sm_name=sm
  unset log_mark
  start_ibsim "$net"
  start_opensm "routing_engine dmodc no_fallback"
  wait_log "SUBNET UP\|No routing engine able" 120
  expect "$name: dmodc" in_log "dmodc tables configured on all switches"
  last_summary | sed 's/.*-> //'
  judge
  stop_all
  run_dir=$(dirname "$run_dir")
done
expect "a fabric to look at" [ "$seen" -gt 0 ]
