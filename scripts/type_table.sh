#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Congestion risk of phases between node types and of traffic among all hosts, dmodc against gxmodk, on the 8 640-host
# PGFT of Gliksberg 2022, 4.2.4, with a storage node on the last port of each leaf (4 % of the hosts), whole and damaged.
#
#   scripts/type_table.sh [-n SEEDS] [-l "LINKS ..."] [-p PGFT]
#
# Means over SEEDS draws of the damage (default 5). To storage, from storage: the worst of all phases in which the hosts
# of a leaf talk to one storage node, and all of them at once. Shifts: the worst of every 16th. Random: the median of
# 200 permutations.
set -euo pipefail
repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
seeds=5
links="0 86 432"
pgft="3;24,12,30;1,24,3;1,1,1"
while getopts n:l:p: option; do
  case $option in
    n) seeds=$OPTARG ;;
    l) links=$OPTARG ;;
    p) pgft=$OPTARG ;;
    *) sed -n '3,${/^#/!q;s/^# \{0,1\}//;p}' "$0" >&2; exit 2 ;;
  esac
done

espalier=${ESPALIER_BUILD:-$repo/build}/espalier
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$espalier" generate pgft "$pgft" -o "$work/whole"
# Hosts are numbered along the leaves; all leaves are full.
hosts_per_leaf=$(sed 's/^[^;]*;\([0-9]*\).*/\1/' <<<"$pgft")
sed -n 's/^\[1\](\([0-9a-f]*\)).*"S-.*/0x\1/p' "$work/whole" | awk -v m="$hosts_per_leaf" 'NR % m == 0' >"$work/io"

# measure ENGINE...: one object for each draw of the damage.
measure() {
  local seed
  for ((seed = 1; seed <= (damage == 0 ? 1 : seeds); ++seed)); do
    "$espalier" degrade "$work/whole" --links "$damage" --seed "$seed" -o "$work/net"
    "$espalier" route "$work/net" --engine "$@" --io-guids "$work/io" --verify -o "$work/lfts" 2>/dev/null
    "$espalier" analyze "$work/net" "$work/lfts" --io-guids "$work/io" --patterns sp:16,rp:200,phase:compute:io --json
  done
}

# row LABEL: means of the objects on standard input.
row() {
  python3 -c '
import json, sys
text, decoder, runs = sys.stdin.read().strip(), json.JSONDecoder(), []
while text:
    run, end = decoder.raw_decode(text)
    runs.append(run)
    text = text[end:].lstrip()
def mean(key):
    return "%.1f" % (sum(run[key] for run in runs) / len(runs))
print("| %s | %s / %s | %s / %s | %s | %s |" % (sys.argv[1], mean("mu_phase_max"), mean("mu_phase_all"), mean("mu_phase_back_max"),
      mean("mu_phase_back_all"), mean("mu_sp_max"), mean("mu_rp_median")))' "$1"
}

echo "| cables gone, engine | to storage: phase / all at once | from storage: phase / all at once | shifts | random |"
echo "|---|---|---|---|---|"
for damage in $links; do
  measure dmodc | row "$damage, \`dmodc\`"
  measure gxmodk --gxmodk-mode interleaved | row "$damage, \`gxmodk\` interleaved"
  measure gxmodk --gxmodk-mode grouped | row "$damage, \`gxmodk\` grouped"
done
