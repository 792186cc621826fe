#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# OpenSM's torus-2QoS is judged on the lanes that it has: live, from the files that OpenSM dumps, and by compare. With its
# tables on one lane there is a credit loop around each ring.
source "$(dirname "$0")/common.sh" "$@"
scripts=$test_dir/../../scripts

"$espalier" generate torus "5,5,3,1" -o "$run_dir/net"
"$scripts/torus_2qos_conf.sh" 5 5 3 >"$run_dir/torus.conf"
start_ibsim "$run_dir/net"
start_opensm "event_plugin_name" "routing_engine torus-2QoS no_fallback" "torus_config $run_dir/torus.conf" "qos TRUE"
wait_routed
expect "torus-2QoS" in_log "torus-2QoS tables configured on all switches"
dir=$run_dir/sm
discover "$dir/discovered"
expect_not "sound on one lane" "$espalier" verify "$dir/discovered" "$dir/opensm-lfts.dump" >"$dir/one"
expect "a credit loop" grep -q "credit loop" "$dir/one"

# Service levels as the SA answers, SL2VL tables as the switches answer.
as_host "$(first_host)" "$espalier" verify --live --save-lanes "$dir/lanes" >"$dir/live" 2>"$dir/live.err"
cat "$dir/live"
expect "all traffic is sound on its lanes" grep -q "^sound: .* on [2-8] virtual lanes" "$dir/live"
# A dateline for each dimension, one bit of the SL each.
expect "several service levels" test "$(sed -n 's/^sl [0-9]*://p' "$dir/lanes" | tr ' ' '\n' | sed 's/\*.*//' | sort -u | grep -c .)" -ge 8

# The same lanes beside what OpenSM dumped itself.
"$espalier" verify "$dir/discovered" "$dir/opensm-lfts.dump" --lanes "$dir/lanes" >"$dir/files"
expect "the same verdict" grep -q "^sound: .* on [2-8] virtual lanes" "$dir/files"
stop_all

# By compare: with a runner that adds the configuration.
printf '#!/bin/sh\nexec "%s" -o "torus_config %s" "$@"\n' "$scripts/run_opensm.sh" "$run_dir/torus.conf" >"$run_dir/runner"
chmod +x "$run_dir/runner"
"$espalier" compare "$run_dir/net" --stock torus-2QoS,layers --patterns a2a --json "$run_dir/records" --runner "$run_dir/runner" \
  2>"$run_dir/compare.err"
cat "$run_dir/compare.err"
for engine in torus-2QoS layers; do
  expect "$engine" grep -q ": $engine in OpenSM: sound on [2-8] virtual lanes" "$run_dir/compare.err"
done
