#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Throughput of uniform traffic among hosts and switches at full load, by flow-level simulation over the tables of ours
# and of the real OpenSM: the setting of Bogdanski et al. 2012, Table III.
#
#   scripts/uniform_throughput.sh [-e "sftree dmodc"] [-s "minhop updn dfsssp lash"] FILE.net ...
#
# A Markdown row for each fabric and engine: mean share of their own cables' rate that the nodes get, that of the worst
# node, and transfers that do not arrive. OpenSM's engines (-s) run on ibsim, ours (-e) in the command.
set -euo pipefail
repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
ours="sftree dmodc"
stock="minhop updn dfsssp lash"
while getopts e:s: option; do
  case $option in
    e) ours=$OPTARG ;;
    s) stock=$OPTARG ;;
    *) sed -n '3,${/^#/!q;s/^# \{0,1\}//;p}' "$0" >&2; exit 2 ;;
  esac
done
shift $((OPTIND - 1))

build=${ESPALIER_BUILD:-$repo/build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# row NET LABEL: of the tables in $work/lfts.
row() {
  "$build/espalier" simulate "$1" "$work/lfts" --patterns a2a --load full --with-switches --json 2>/dev/null |
    python3 -c '
import json, sys
run = json.load(sys.stdin)
print("| %s | %s | %.2f | %.2f | %d |" % (*sys.argv[1:], run["throughput"], run["least_throughput"], run["undelivered"]))
' "$(basename "$1" .net)" "$2"
}

echo "| fabric | engine | mean | worst node | not delivered |"
echo "|---|---|---|---|---|"
for net in "$@"; do
  for engine in $ours; do
    "$build/espalier" route "$net" --engine "$engine" -o "$work/lfts" 2>/dev/null
    row "$net" "$engine"
  done
  for engine in $stock; do
    rm -rf "$work/run"
    if "$repo/scripts/run_opensm.sh" -b "$build" -e "$engine" -p "" -t 600 -d "$work/run" "$net" >"$work/out" 2>&1; then
      cp "$work/run/opensm-lfts.dump" "$work/lfts"
      row "$net" "OpenSM's $engine"
    else
      echo "| $(basename "$net" .net) | OpenSM's $engine | subnet not up | | |"
    fi
  done
done
