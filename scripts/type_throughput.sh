#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Throughput of phases between node types and of traffic that knows no types, by flow-level simulation: the setting of
# Gliksberg 2022, Figure 3.6, XGFT(3;4,3,2;1,2,2) with a storage node on the last port of each leaf.
#
#   scripts/type_throughput.sh [-x XGFT] [-o PLOT.svg]
#
# A Markdown row for each engine: share of what the hosts' own cables allow, over all phases of a kind.
set -euo pipefail
repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
xgft="3;4,3,2;1,2,2"
plot=""
while getopts x:o: option; do
  case $option in
    x) xgft=$OPTARG ;;
    o) plot=$OPTARG ;;
    *) sed -n '3,${/^#/!q;s/^# \{0,1\}//;p}' "$0" >&2; exit 2 ;;
  esac
done

espalier=${ESPALIER_BUILD:-$repo/build}/espalier
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$espalier" generate xgft "$xgft" -o "$work/net"
# Hosts are numbered along the leaves; all leaves are full.
hosts_per_leaf=$(sed 's/^[^;]*;\([0-9]*\).*/\1/' <<<"$xgft")
sed -n 's/^\[1\](\([0-9a-f]*\)).*"S-.*/0x\1/p' "$work/net" | awk -v m="$hosts_per_leaf" 'NR % m == 0' >"$work/io"

# simulate LABEL ENGINE [OPTION ...]: a line for each kind of traffic.
simulate() {
  local label=$1
  shift
  "$espalier" route "$work/net" --io-guids "$work/io" -o "$work/lfts" --engine "$@" 2>"$work/err" || { cat "$work/err" >&2; return 1; }
  "$espalier" simulate "$work/net" "$work/lfts" --io-guids "$work/io" --patterns phase:compute:io,sp,rp:200 --json |
    sed "s/^{/{\"label\": \"$label\", /"
}
{
  simulate dmodc dmodc
  simulate "gxmodk interleaved" gxmodk --gxmodk-mode interleaved
  simulate "gxmodk grouped" gxmodk --gxmodk-mode grouped
} >"$work/records"
"$repo/scripts/plot_throughput.py" "$work/records" ${plot:+-o "$plot"}
