#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# --live reads from the switches what OpenSM wrote into them, whatever engine made it, and judges it as it judges files.
source "$(dirname "$0")/common.sh" "$@"

live() { # live SUBCOMMAND ...: espalier --live, from the first host
  local subcommand=$1
  shift
  as_host "$(first_host)" "$espalier" "$subcommand" --live "$@"
}
code_of() { # code_of COMMAND ...: its exit code; what it prints is in out and err
  local code=0
  "$@" >"$run_dir/out" 2>"$run_dir/err" || code=$?
  echo "$code"
}
rates() { sed -n 's/.* \([0-9]*x[A-Z0-9]*\)$/\1/p' "$1" | sort | uniq -c; }

# routed NAME NET LINE ...: the fabric comes up with these lines in opensm.conf.
routed() {
  echo "$1: ${*:3}"
  new_run "$top_dir/$1"
  sm_name=sm
  start_ibsim "$2"
  start_opensm "${@:3}"
  wait_log "SUBNET UP"
}

# The tables are those of OpenSM's dump, the fabric is the one that ibnetdiscover sees, cable by cable.
same_as_opensm_says() {
  live convert --to lfts -o "$run_dir/live.lfts"
  "$espalier" diff "$run_dir/sm/opensm-lfts.dump" "$run_dir/live.lfts"
  live convert --to net -o "$run_dir/live.net"
  discover "$run_dir/discovered"
  "$espalier" convert "$run_dir/discovered" --to net -o "$run_dir/discovered.net"
  cmp "$run_dir/discovered.net" "$run_dir/live.net"
  as_host "$(first_host)" ibnetdiscover --cache "$run_dir/cache" >/dev/null 2>"$run_dir/discover.err"
  cmp "$run_dir/discovered.net" <("$espalier" convert "$run_dir/cache" --to net)
  expect "rates as in $net_file" diff <(rates "$net_file") <(rates "$run_dir/live.net")
}

# ---- sound tables, of our engine and of others, also with several LIDs on each port ----
for engine in "dmodc no_fallback" minhop updn ftree; do
  routed "three_level_${engine%% *}" "$test_dir/../fabrics/three_level_tree.net" "routing_engine $engine"
  same_as_opensm_says
  verdict=$(code_of "$espalier" verify "$run_dir/discovered" "$run_dir/sm/opensm-lfts.dump")
  mv "$run_dir/out" "$run_dir/offline"
  expect "the verdict on the dump, $verdict" test "$verdict" = "$(code_of live verify)"
  # Where one lane closes a loop, the live subnet is judged on its lanes, and they are named; of a dump they are asked for.
  sed -i 's/ VL [0-9]*//; s/ with SL [0-9]*//' "$run_dir/out"
  sed -i '/^judged on one virtual lane/d' "$run_dir/offline"
  cmp "$run_dir/offline" "$run_dir/out"
  if [[ $engine == dmodc* ]]; then expect "sound tables" grep -q "^sound: " "$run_dir/out"; fi
  stop_all
done

# Tables of six blocks.
two_level 6 3 12 >"$top_dir/net"
routed lmc "$top_dir/net" "routing_engine dmodc no_fallback" "lmc 2" "reassign_lids TRUE"
same_as_opensm_says
live verify >"$run_dir/verdict"
live report -o "$run_dir/report.html"
expect "a page that names its origin" grep -q "read from the switches on" "$run_dir/report.html"
live analyze --patterns a2a --json >"$run_dir/live.json"
offline=("$run_dir/discovered" "$run_dir/sm/opensm-lfts.dump")
"$espalier" analyze "${offline[@]}" --patterns a2a --json | cmp - "$run_dir/live.json"
live rank >"$run_dir/live.rank"
"$espalier" rank "$run_dir/discovered" | cmp - "$run_dir/live.rank"
# Port counters become a file of known flows that route reads. ibsim counts management packets alone.
live record --seconds 0.2 -o "$run_dir/flows" 2>"$run_dir/err"
expect "every host has counters" bash -c '! grep -q "no counters" "$1"' - "$run_dir/err"
"$espalier" route "$run_dir/discovered" --engine flows --flows "$run_dir/flows" -o "$run_dir/flows.lfts"
stop_all

# ---- tables that are not sound ----
routed ring "$test_dir/../fabrics/ring_of_five.net" "routing_engine minhop"
same_as_opensm_says
expect "exit code 1" test 1 = "$(code_of live verify)"
expect "a credit loop" grep -q "^credit loop: " "$run_dir/out"
expect "exit code 1" test 1 = "$(code_of live explain --credit-loop)"
stop_all

# ---- who does not answer is named ----
two_level 3 2 2 >"$top_dir/net"
routed silent "$top_dir/net" "routing_engine dmodc no_fallback"
live verify >"$run_dir/verdict"
ibsim_cmd 'Error "spine1" 100 25' # its tables
sleep 0.3
expect "exit code 2" test 2 = "$(code_of live verify -t 200)"
expect "its name" grep -q "^espalier: the live subnet: switch 0x.* (spine1) does not report its table; " "$run_dir/err"
expect "exit code 0 where no table is needed" test 0 = "$(code_of live rank -t 200)"
ibsim_cmd 'Error "spine1" 0 25'
ibsim_cmd 'Error "host2.1" 100 17' # who it is
sleep 0.3
expect "exit code 0: no LID of a known node is behind" test 0 = "$(code_of live verify -t 200)"
expect "a warning" grep -q "warning: the live subnet: the node at port 1 of switch .* (leaf2) does" "$run_dir/err"
ibsim_cmd 'Error "host2.1" 0 17'
ibsim_cmd 'Error "spine2" 100 17'
sleep 0.3
expect "exit code 2: packets go through it" test 2 = "$(code_of live verify -t 200)"
expect "who sends" grep -q "leaf[123]) sends packets out of port 4, where no node answers; " "$run_dir/err"
stop_all

# ---- nothing to ask ----
expect "exit code 2" test 2 = "$(code_of "$espalier" verify --live --ca none)"
expect "what to do" grep -q "^espalier: the live subnet (none): .*; .*ib_umad" "$run_dir/err"
