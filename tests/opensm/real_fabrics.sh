#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Every fabric in tests/fabrics, and in the directory that ESPALIER_FABRICS names, comes up with dmodc and nothing else,
# and switches reach each other. Without OpenSM, every engine routes them soundly; those for trees of one kind
# decline others, and say why.
source "$(dirname "$0")/common.sh" "$@"

seen=0
for net in "$test_dir"/../fabrics/*.net ${ESPALIER_FABRICS:+"$ESPALIER_FABRICS"/*.net}; do
  [[ -r $net ]] || continue
  seen=$((seen + 1))
  name=$(basename "$net" .net)
  echo "$name"
  new_run "$top_dir/$name"
  sm_name=sm
  start_ibsim "$net"
  start_opensm "routing_engine dmodc no_fallback"
  wait_routed 120
  expect "$name: dmodc" in_log "dmodc tables configured on all switches"
  last_summary | sed 's/.*-> //'
  judge
  # Samples of what verify says of all. (first_host closes a pipe early, which is no error.)
  client=$(trap - ERR && first_host) || true
  mapfile -t lids < <(sed -n 's/^{ SW [^}]*{[^}]*} LID:\([0-9A-F]*\).*/\1/p' "$run_dir/$sm_name/opensm-subnet.lst" |
    sort -u | sed -n '1,3p;$p')
  for a in "${lids[@]}"; do
    for b in "${lids[@]}"; do
      [[ $a == "$b" ]] || expect "a path from LID 0x$a to 0x$b" \
        as_host "$client" ibtracert "$((16#$a))" "$((16#$b))" >/dev/null
    done
  done
  for engine in $(every_engine); do
    "$espalier" route "$net" --engine "$engine" --verify -o "$run_dir/lfts" 2>"$run_dir/routed" ||
      expect "$name: $engine says why" grep -q \
        -e "$engine .*: .*; use \\(dmodc\\|pqft or ftree\\)" -e "not a dragonfly: .*; use an engine" "$run_dir/routed"
  done
  stop_all
done
expect "a fabric to look at" [ "$seen" -gt 0 ]
