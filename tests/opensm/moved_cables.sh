#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Cables move between OpenSM's discovery and its upload: the tables for some switches go to others, and OpenSM believes
# what it sent. Our engines notice at the next sweep and have everything sent anew to those concerned. A stock engine is
# the control: with it the switches hold wrong tables for good, which shows that the script does what it says.
source "$(dirname "$0")/common.sh" "$@"

# Three pods of two leaves and two switches above, four tops; two hosts on each leaf. Top t has pod p on port p.
three_pods() {
  awk 'BEGIN {
    rate = "\t# \"\" lid 0 4xQDR"
    for (p = 1; p <= 3; ++p) {
      for (l = 1; l <= 2; ++l) {
        for (h = 1; h <= 2; ++h) printf "Ca 1 \"host%d.%d.%d\"\n[1] \"leaf%d.%d\"[%d]\t# lid 0 lmc 0 \"\" lid 0 4xQDR\n\n", p, l, h, p, l, h
        printf "Switch 4 \"leaf%d.%d\"\n", p, l
        for (h = 1; h <= 2; ++h) printf "[%d] \"host%d.%d.%d\"[1]%s\n", h, p, l, h, rate
        for (m = 1; m <= 2; ++m) printf "[%d] \"mid%d.%d\"[%d]%s\n", 2 + m, p, m, l, rate
        print ""
      }
      for (m = 1; m <= 2; ++m) {
        printf "Switch 4 \"mid%d.%d\"\n", p, m
        for (l = 1; l <= 2; ++l) printf "[%d] \"leaf%d.%d\"[%d]%s\n", l, p, l, 2 + m, rate
        for (t = 1; t <= 2; ++t) printf "[%d] \"top%d\"[%d]%s\n", 2 + t, 2 * (m - 1) + t, p, rate
        print ""
      }
    }
    for (t = 1; t <= 4; ++t) {
      printf "Switch 3 \"top%d\"\n", t
      for (p = 1; p <= 3; ++p) printf "[%d] \"mid%d.%d\"[%d]%s\n", p, p, int((t + 1) / 2), 3 + (t + 1) % 2, rate
      print ""
    }
  }'
}

# exchange_pods A B: what hung below pod A hangs below pod B's cables, and the other way round.
exchange_pods() {
  local t mid port
  for t in 1 2 3 4; do
    mid=$(((t + 1) / 2)) port=$((3 + (t + 1) % 2))
    ibsim_cmd "Unlink \"top$t\"[$1]"
    ibsim_cmd "Unlink \"top$t\"[$2]"
    ibsim_cmd "Link \"top$t\"[$1] \"mid$2.$mid\"[$port]"
    ibsim_cmd "Link \"top$t\"[$2] \"mid$1.$mid\"[$port]"
  done
  sleep 0.5
}

# Whether the switches hold what OpenSM computed; and, of ours, whether that is sound.
is_as_computed() {
  as_host "$(first_host)" "$espalier" convert --live -t 300 --to lfts -o "$run_dir/live.lfts" 2>/dev/null
  "$espalier" diff "$run_dir/live.lfts" "$run_dir/sm/opensm-lfts.dump" >"$run_dir/difference"
}
is_sound() { as_host "$(first_host)" "$espalier" verify --live -t 300 >"$run_dir/verdict" 2>&1; }

# with_moved_cables NAME CONF_LINE ...: a host goes, so that all tables change; before they are sent cables move.
with_moved_cables() {
  new_run "$top_dir/$1"
  export ESPALIER_PAUSE=$run_dir/pause
  start_ibsim "$top_dir/net"
  start_opensm "event_plugin_name espalier espalier_pause" "${@:2}"
  wait_log "SUBNET UP"
  settle
  : >"$run_dir/verdict"
  expect "what was computed" is_as_computed
  pause_after 'Unlink "host1.2.2"' exchange_pods 2 3
  resweep
}

three_pods >"$top_dir/net"

for engine in dmodc balanced ftree-random; do
  with_moved_cables $engine "routing_engine $engine no_fallback"
  expect "$engine: who is concerned" grep -q \
    "sending the complete tables again to [0-9]* of [0-9]* switches: [1-9][0-9]* may hold a block meant" "$sm_log"
  expect "$engine: what was computed: $(tail -n 1 "$run_dir/difference")" is_as_computed
  expect "$engine: sound tables: $(cat "$run_dir/verdict")" is_sound
  stop_all
done

with_moved_cables control "routing_engine ftree"
resweep
if is_as_computed; then
  echo "the control: with OpenSM's ftree, too, the switches hold what was computed; this OpenSM may have been mended"
else
  echo "the control: with OpenSM's ftree the switches hold something else than it believes: $(tail -n 1 "$run_dir/difference")"
fi
