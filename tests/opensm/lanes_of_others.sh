#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Stock engines that put routes on several lanes are judged on these: live, from files, and by compare.
source "$(dirname "$0")/common.sh" "$@"

"$espalier" generate dragonfly "2,4,2,9" -o "$run_dir/net"
start_ibsim "$run_dir/net"
for engine in dfsssp lash; do
  sm_name=$engine
  start_opensm "event_plugin_name" "routing_engine $engine no_fallback" "qos TRUE"
  wait_routed
  dir=$run_dir/$engine
  discover "$dir/discovered"
  expect_not "$engine is sound on one lane" "$espalier" verify "$dir/discovered" "$dir/opensm-lfts.dump" >"$dir/one"
  expect "a credit loop" grep -q "credit loop" "$dir/one"
  as_host "$(first_host)" "$espalier" verify --live --traffic end-ports --save-lanes "$dir/lanes" >"$dir/live" 2>"$dir/live.err"
  cat "$dir/live"
  expect "$engine is sound on several lanes" grep -q "^sound: .* on [2-9] virtual lanes" "$dir/live"

  # From files: what OpenSM dumped, and the same service levels as lines.
  sed -n 's/^source \([0-9]*\): \([0-9]*\)$/\1 \2/p' "$dir/lanes" >"$dir/sources"
  awk 'NR == FNR { lid[$1] = $2; next }
       /^sl / { c = $2; sub(":", "", c); if (!(c in lid)) next
                n = 0
                for (i = 3; i <= NF; ++i) { split($i, run, "*"); count = run[2] == "" ? 1 : run[2]
                  for (k = 0; k < count; ++k) { if (n > 0 && n != lid[c]) print lid[c], n, run[1]; ++n } } }' \
    "$dir/sources" "$dir/lanes" >"$dir/paths"
  "$espalier" verify "$dir/discovered" "$dir/opensm-lfts.dump" --traffic end-ports --sl2vl "$dir/opensm-sl2vl.dump" \
    --path-records "$dir/paths" >"$dir/files"
  expect "the same verdict from files" grep -q "^sound: .* on [2-9] virtual lanes" "$dir/files"
  # One record, as saquery says it.
  read -r from to sl < <(awk '$3 > 0' "$dir/paths" | head -n 1 || true)
  as_host "$(first_host)" saquery --src-to-dst "$from:$to" 2>/dev/null >"$dir/record"
  # dfsssp deals spare lanes out by chance, anew for each question.
  [[ $engine == dfsssp ]] || expect "SL $sl from $from to $to" grep -q "sl\.*0x0*$(printf %X "$sl")$" "$dir/record"
  "$espalier" verify "$dir/discovered" "$dir/opensm-lfts.dump" --sl2vl "$dir/opensm-sl2vl.dump" \
    --path-records "$dir/record" >/dev/null 2>"$dir/warned" || true
  expect "it says what is missing" grep -q "no path record for [0-9]* pairs" "$dir/warned"
  stop "$sm_pid"
done
stop_all

"$espalier" compare "$run_dir/net" --stock dfsssp,lash,nue,minhop,dragonfly --patterns a2a --json "$run_dir/records" \
  --runner "$test_dir/../../scripts/run_opensm.sh" 2>"$run_dir/compare.err"
cat "$run_dir/compare.err"
for engine in dfsssp lash nue dragonfly; do
  expect "$engine" grep -q ": $engine in OpenSM: sound" "$run_dir/compare.err"
done
expect "dragonfly on two lanes" grep -q "dragonfly in OpenSM: sound on 2 virtual lanes" "$run_dir/compare.err"
expect "minhop has one lane" grep -q "minhop in OpenSM: not sound" "$run_dir/compare.err"

# Where a fabric is no tree, advise asks them, too, and judges them on their lanes.
"$espalier" generate jellyfish "20,5,2" --seed 2001 -o "$run_dir/random" >/dev/null
"$espalier" advise "$run_dir/random" --json >"$run_dir/advice"
expect "dfsssp on several lanes" python3 -c '
import json, sys
told = {c["engine"]: c for c in json.load(open(sys.argv[1]))["candidates"]}
sys.exit(not (told["dfsssp"]["vls"] > 1 and told["dfsssp"]["sound_hosts"] and "nue" in told and "layers" in told))' "$run_dir/advice"
