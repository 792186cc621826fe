#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Routes fabrics with the real OpenSM, one engine after the other, and judges the tables that it wrote.
#
#   scripts/compare_engines.sh [-e "dmodc ftree updn minhop"] [-o LINE] [-s STEP] [-r R] [-t SECONDS] FILE.net ...
#
# Prints a Markdown row per fabric and engine: the engine that OpenSM ended up with, (switch, LID) entries that do not
# deliver, whether a credit loop can form, and the congestion risk of shifts (every STEP-th, default all: worst) and of
# R random permutations (default 200: median). Hosts are ordered leaf by leaf; Aggregation Nodes are left out. LINE goes to
# opensm.conf, as "connect_roots TRUE". OpenSM has SECONDS (default 600) for each.
set -euo pipefail
repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
engines="dmodc ftree updn minhop"
step=1
permutations=200
limit=600
line=()
while getopts e:o:s:r:t: option; do
  case $option in
    e) engines=$OPTARG ;;
    o) line=(-o "$OPTARG") ;;
    s) step=$OPTARG ;;
    r) permutations=$OPTARG ;;
    t) limit=$OPTARG ;;
    *) sed -n '3,${/^#/!q;s/^# \{0,1\}//;p}' "$0" >&2; exit 2 ;;
  esac
done
shift $((OPTIND - 1))

espalier=${ESPALIER_BUILD:-$repo/build}/espalier
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# row FILE ENGINE: one run, one line.
row() {
  local net=$1 engine=$2 dir=$work/run ran verdict wrong loop risks
  rm -rf "$dir"
  if ! "$repo/scripts/run_opensm.sh" -b "${ESPALIER_BUILD:-$repo/build}" -e "$engine" "${line[@]}" -t "$limit" -d "$dir" "$net" \
    >"$work/out" 2>&1; then
    printf '| %s | %s | subnet not up | | | | |\n' "$(basename "$net" .net)" "$engine"
    return
  fi
  ran=$(sed -n 's/.*osm_ucast_mgr_process: \([a-z0-9_-]*\) tables configured.*/\1/p' "$dir/opensm.log" | tail -n 1)
  verdict=$("$espalier" verify "$net" "$dir/opensm-lfts.dump" 2>&1) || true
  wrong=$(sed -n 's/^\([0-9]*\) violations in .*/\1/p' <<<"$verdict")
  loop=no
  grep -q "^credit loop" <<<"$verdict" && loop=yes && wrong=$((wrong - 1))
  risks=$("$espalier" analyze "$net" "$dir/opensm-lfts.dump" --patterns "sp:$step,rp:$permutations" --seed 1 --json |
    python3 -c 'import json, sys; r = json.load(sys.stdin); print("| %d | %g" % (r["mu_sp_max"], r["mu_rp_median"]))')
  printf '| %s | %s | %s | %s | %s %s |\n' "$(basename "$net" .net)" "$engine" "${ran:-?}" "${wrong:-0}" "$loop" "$risks"
}

echo "| fabric | asked for | got | entries that do not deliver | credit loop | worst shift | random permutations |"
echo "|---|---|---|---|---|---|---|"
for net in "$@"; do
  for engine in $engines; do row "$net" "$engine"; done
done
