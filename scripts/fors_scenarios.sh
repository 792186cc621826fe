#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# The failures of E. Stein's thesis (2024, Figure 6.5) under the real OpenSM on ibsim: FT(2;20,18) with 326 servers, an
# all-to-all exchange in phases with barriers. Once OpenSM's own routing, ftree or what it falls back to, under the linear
# shift; once the engine fors under the schedule that it publishes. Tables are read back from the switches; schedules are
# judged by `espalier schedule --check`, times are simulated by `espalier simulate`.
#
#   scripts/fors_scenarios.sh [-b BUILD] [-l LMC] RECORDS.jsonl        then scripts/plot_fors.py RECORDS.jsonl
#
# Leaves 0, 5 and 11, which lose cables, have all of their 20 servers; the others have 17 or 18. (The thesis does not say
# where its 34 places are free. Leaves that are not full would lose cables at no cost.) The linear shift counts free places,
# as ftree does: 359 phases, and no shared link before anything fails; a shift over the 326 servers alone has two flows on
# some link in nearly every phase. Runs that RECORDS has already are skipped.
set -euo pipefail
# shellcheck source=scripts/opensm_on_ibsim.sh
source "$(dirname "${BASH_SOURCE[0]}")/opensm_on_ibsim.sh"

lmc=2
while getopts "b:l:" option; do
  case $option in
    b) ESPALIER_BUILD=$(cd "$OPTARG" && pwd) ;;
    l) lmc=$OPTARG ;;
    *) sed -n '3,${/^#/!q;s/^# \{0,1\}//;p}' "$0" >&2 && exit 2 ;;
  esac
done
shift $((OPTIND - 1))
records=$(realpath "${1:?usage: $0 [-b BUILD] [-l LMC] RECORDS.jsonl}")
touch "$records"
espalier=$ESPALIER_BUILD/espalier
work=$(mktemp -d -t espalier-fors-XXXXXX)
trap 'stop_all; rm -rf "$work"' EXIT
trap 'echo "FAILED: line $LINENO: $BASH_COMMAND" >&2' ERR

# A cable is LEAF-SPINE, both from 0 (the thesis counts spines from 18); a whole spine is S.
scenarios=(
  "0F|"
  "1F SW0|0-0"
  "2F SW0|0-0 0-1"
  "3F SW0|0-0 0-1 0-2"
  "1F SW0,5,11|0-0 5-1 11-2"
  "2F SW0,5,11|0-0 5-1 11-2 0-3 5-4 11-5"
  "3F SW0,5,11|0-0 5-1 11-2 0-3 5-4 11-5 0-6 5-7 11-8"
  "SW18,19|0 1"
  "SW18,19,22,23|0 1 4 5"
)
leaf() { printf '"S-0002c90001%06x"' "$1"; }
spine() { printf '"S-0002c90002%06x"' "$1"; }

# What is not there: hosts without server, and the scenario's cables.
damage() {
  local l free port what
  for ((l = 0; l < 18; ++l)); do
    case $l in
      0 | 5 | 11) free=0 ;;
      1 | 2 | 3 | 4) free=3 ;;
      *) free=2 ;;
    esac
    for ((port = 21 - free; port <= 20; ++port)); do ibsim_cmd "Unlink $(leaf $l)[$port]"; done
  done
  for what in $1; do
    if [[ $what == *-* ]]; then
      ibsim_cmd "Unlink $(leaf "${what%-*}")[$((21 + ${what#*-}))]"
    else
      ibsim_cmd "Unlink $(spine "$what")"
    fi
  done
  sleep 1 # ibsim reads its console between packets
}
live() { as_host "$(first_host)" "$espalier" "$1" --live "${@:2}" >/dev/null; }

# linear_shift: in phase k place i sends to place i + k, by the order of the leaves' ports; as a schedule.
linear_shift() {
  awk -F'"' '
    /^Switch.*"leaf / { split($0, name, "\"leaf "); leaf = name[2] + 0; next }
    /^(Switch|Ca)/ { leaf = -1 }
    leaf >= 0 && $2 ~ /^H-/ {
      split($1, port, /[][]/); split($3, guid, /[()]/); split($5, lid, " ")
      place = 20 * leaf + port[2] - 1; guid_at[place] = "0x" guid[2]; lid_at[place] = lid[2]
    }
    BEGIN { leaf = -1 }
    END {
      for (k = 1; k < 360; ++k)
        for (i = 0; i < 360; ++i)
          if (i in guid_at && (i + k) % 360 in guid_at) print k - 1, guid_at[i], guid_at[(i + k) % 360], lid_at[(i + k) % 360]
    }' "$run_dir/net"
}

# bring_up SCENARIO DAMAGE LINE ...: brings the subnet up and reads it back into $run_dir/{net,lfts}.
bring_up() {
  new_run "$work/run$((++runs))"
  sm_name=sm
  start_ibsim "$work/daq.net"
  damage "$2"
  start_opensm "${@:3}"
  wait_log "SUBNET UP" 120
  live convert --to net -o "$run_dir/net"
  live convert --to lfts -o "$run_dir/lfts"
}
# record SCENARIO ENGINE SIMULATE-ARGUMENT ...: one line, from what espalier simulate says.
record() {
  "$espalier" simulate "$run_dir/net" "$run_dir/lfts" "${@:3}" --json |
    sed "s|^{|{\"scenario\":\"$1\",\"engine\":\"$2\",\"bound\":${bound:-0},\"congestion_free\":${congestion_free:-false},|" |
    tee -a "$records"
}
recorded() { grep -q "\"scenario\":\"$1\",\"engine\":\"$2" "$records"; }

runs=0
"$espalier" generate pgft "2;20,18;1,20;1,1" -o "$work/daq.net"
for entry in "${scenarios[@]}"; do
  name=${entry%|*} cables=${entry#*|}
  if ! recorded "$name" "stock"; then
    bring_up "$name" "$cables" "routing_engine ftree,minhop" "event_plugin_name "
    engine=$(sed -n 's/.*: \([a-z]*\) tables configured on all switches.*/\1/p' "$sm_log" | tail -n 1)
    bound=0 congestion_free=false record "$name" "stock $engine" --schedule <(linear_shift)
    stop_all
  fi
  if ! recorded "$name" fors; then
    echo "schedule_directory $work/epochs$runs" >"$work/espalier.conf"
    epochs=$work/epochs$runs
    bring_up "$name" "$cables" "routing_engine fors no_fallback" "lmc $lmc" "reassign_lids TRUE" \
      "event_plugin_options $work/espalier.conf"
    verdict=$("$espalier" schedule --check "$run_dir/net" "$run_dir/lfts" "$epochs/current")
    echo "$name: $verdict"
    bound=$(sed -n 's/.*at least \([0-9]*\) are.*/\1/p' <<<"$verdict") congestion_free=true \
      record "$name" fors --schedule "$epochs/current"
    stop_all
  fi
done
