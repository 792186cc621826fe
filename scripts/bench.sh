#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# For how long each engine blocks the subnet manager, inside the unmodified OpenSM on ibsim, by the same clock.
#
#   scripts/bench.sh [-h "648 3456 11664"] [-e "dmodc ftree minhop updn"]
#
# Per real-life fat tree and engine: seconds in build_lid_matrices + ucast_build_fwd_tables (for dmodc: snapshot, rank,
# route, verify, apply), how many times longer than dmodc, and OpenSM's peak memory. The clock is the plugin
# `espalier_probe` (plugin/probe/probe.cc), loaded next to espalier. No dumps, so that nobody builds hop tables for them.
# At the end, core alone at 27 648 hosts. One run of everything takes some minutes.
set -euo pipefail
repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
hosts="648 3456 11664"
engines="dmodc ftree minhop updn"
while getopts h:e: option; do
  case $option in
    h) hosts=$OPTARG ;;
    e) engines=$OPTARG ;;
    *) sed -n '3,${/^#/!q;s/^# \{0,1\}//;p}' "$0" >&2; exit 2 ;;
  esac
done

build=${ESPALIER_BUILD:-$repo/build/bench}
if [[ -z ${ESPALIER_BUILD-} ]]; then
  (cd "$repo" && cmake --preset bench && cmake --build --preset bench --target espalier espalier_plugin espalier_probe) >/dev/null
fi
declare -A pgft=([648]="2;18,36;1,18;1,1" [3456]="3;12,12,24;1,12,12;1,1,1" [11664]="3;18,18,36;1,18,18;1,1,1"
  [27648]="3;24,24,48;1,24,24;1,1,1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export ESPALIER_PROBE_TIMES=$work/times

# row HOSTS ENGINE: routes once; leaves the engine's milliseconds in $ms.
row() {
  rm -rf "$work/run" "$work/times"
  "$repo/scripts/run_opensm.sh" -b "$build" -p "espalier espalier_probe" -e "$2" -f 0x03 -t 900 -d "$work/run" "$work/net" >"$work/out"
  ms=$(awk -v engine="$2" '$1 == engine && $4 == 0 { print $2 + $3; exit }' "$work/times")
  [[ -n $ms ]] || { printf '| %s | %s | declined | | |\n' "$1" "$2"; return; }
  : "${ours:=$ms}"
  sed -n 's/.*peak memory \([0-9]*\) kB.*/\1/p' "$work/out" | awk -v hosts="$1" -v engine="$2" -v ms="$ms" -v ours="$ours" \
    '{ printf "| %s | %s | %.3f | %.0f | %.0f |\n", hosts, engine, ms / 1000, ms / ours, $1 / 1024 }'
}

model=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
echo "$(nproc) cores, $model, commit $(git -C "$repo" rev-parse --short HEAD 2>/dev/null || echo unknown)"
echo
echo "| hosts | engine | seconds | times the first engine's | peak MiB |"
echo "|---|---|---|---|---|"
for count in $hosts; do
  "$build/espalier" generate pgft "${pgft[$count]}" -o "$work/net"
  ours=
  for engine in $engines; do row "$count" "$engine"; done
done
echo
echo "core alone, 27648 hosts:"
"$build/espalier" generate pgft "${pgft[27648]}" -o "$work/net"
"$build/espalier" route "$work/net" --engine dmodc --verify -o /dev/null 2>&1
