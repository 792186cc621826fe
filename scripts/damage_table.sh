#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Congestion risk against damage on the 8 640-host PGFT of Gliksberg 2022, 4.2.4.
#
#   scripts/damage_table.sh [-n SEEDS] [-e "minhop updn sssp"]
#
# Per damage: dmodc, computed offline, averaged over SEEDS draws (default 10); and, where engines are named, these and
# dmodc through the real OpenSM on ibsim, on the first draw. The worst of every 16th shift, and the median of 200 random
# permutations. With three stock engines it takes about half an hour.
set -euo pipefail
repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
seeds=10
stock=""
while getopts n:e: option; do
  case $option in
    n) seeds=$OPTARG ;;
    e) stock=$OPTARG ;;
    *) sed -n '3,10p' "$0" >&2; exit 2 ;;
  esac
done

espalier=${ESPALIER_BUILD:-$repo/build}/espalier
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$espalier" generate pgft "3;24,12,30;1,24,3;1,1,1" -o "$work/whole.net"

# offline NAME OPTION...: one row, dmodc over all seeds.
offline() {
  local name=$1 seed
  shift
  for ((seed = 1; seed <= seeds; ++seed)); do
    "$espalier" degrade "$work/whole.net" "$@" --seed "$seed" -o "$work/net"
    "$espalier" route "$work/net" --engine dmodc --verify -o "$work/lfts" 2>/dev/null
    "$espalier" analyze "$work/net" "$work/lfts" --patterns sp:16,rp:200 --seed 1 --json
  done | python3 -c '
import json, sys
text, decoder, runs = sys.stdin.read().strip(), json.JSONDecoder(), []
while text:
    run, end = decoder.raw_decode(text)
    runs.append(run)
    text = text[end:].lstrip()
sp = [r["mu_sp_max"] for r in runs]
rp = [r["mu_rp_median"] for r in runs]
mean = lambda v: sum(v) / len(v)
print("| %s | %.1f (%d to %d) | %.1f (%g to %g) |" % (sys.argv[1], mean(sp), min(sp), max(sp), mean(rp), min(rp), max(rp)))' "$name"
}

damages=("none:" "86 links:--links 86" "432 links:--links 432" "2160 links:--links 2160"
  "8 switches:--switches 8" "64 switches:--switches 64" "256 switches:--switches 256")
echo "| damage | dmodc, shifts (range of $seeds draws) | dmodc, random permutations |"
echo "|---|---|---|"
for damage in "${damages[@]}"; do
  # shellcheck disable=SC2086
  offline "${damage%%:*}" ${damage#*:}
done
[[ -n $stock ]] || exit 0
for damage in "${damages[@]}"; do
  # shellcheck disable=SC2086
  "$espalier" degrade "$work/whole.net" ${damage#*:} --seed 1 -o "$work/${damage%%:*}.net"
  "$repo/scripts/compare_engines.sh" -e "dmodc $stock" -s 16 "$work/${damage%%:*}.net" | tail -n +3
done
