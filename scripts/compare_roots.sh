#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Who finds the top switches: rank(), the most frequent distance to hosts (Gliksberg 2022, annex 2) alone, and the root
# detection of OpenSM's updn, asked of the real program.
#
#   scripts/compare_roots.sh [-d "links:10% switches:20%"] [-s SEED] FILE.net ...
#
# Prints a Markdown row per fabric, whole and with each damage: how many of the top switches each finds, and how many
# others ("+ 3"). The top switches are those of the whole fabric by rank(); what is damaged lacks some of them.
set -euo pipefail
repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
damages=""
seed=1
while getopts d:s: option; do
  case $option in
    d) damages=$OPTARG ;;
    s) seed=$OPTARG ;;
    *) sed -n '3,${/^#/!q;s/^# \{0,1\}//;p}' "$0" >&2; exit 2 ;;
  esac
done
shift $((OPTIND - 1))

build=${ESPALIER_BUILD:-$repo/build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# guids FILE: GUIDs one to a line, in lower case, without 0x and leading zeros.
guids() { tr 'A-F' 'a-f' <"$1" | sed -n 's/^[[:space:]]*0x0*\([0-9a-f]\{1,\}\).*/\1/p' | sort -u; }

# found FILE: "18", or "17 + 2" with two that are no top switches.
found() {
  local right wrong
  right=$(comm -12 "$work/tops" <(guids "$1") | wc -l)
  wrong=$(comm -13 "$work/tops" <(guids "$1") | wc -l)
  ((wrong == 0)) && echo "$right" || echo "$right + $wrong"
}

# row NET NAME DAMAGE: one line, of a fabric whose whole has its top switches in $work/whole.
row() {
  local net=$1 run=$work/run ours statistical updn
  "$build/espalier" convert "$net" --to csv-switches | cut -d, -f1 | sed 1d >"$work/switches"
  comm -12 <(guids "$work/whole") <(guids "$work/switches") >"$work/tops"
  "$build/espalier" convert "$net" --to roots -o "$work/ours"
  "$build/espalier" convert "$net" --to statistical-roots -o "$work/statistical"
  rm -rf "$run"
  "$repo/scripts/run_opensm.sh" -b "$build" -p "" -e updn -t 300 -d "$run" "$net" >"$work/out" 2>&1 || true
  updn="none: minhop instead"
  [[ -s $run/opensm-updn-roots.dump ]] && updn=$(found "$run/opensm-updn-roots.dump")
  ours=$(found "$work/ours")
  statistical=$(found "$work/statistical")
  printf '| %s | %s | %s | %s | %s | %s |\n' "$2" "$3" "$(wc -l <"$work/tops")" "$ours" "$statistical" "$updn"
}

echo "| fabric | damage | top switches | \`rank\` | most frequent distance | OpenSM's updn |"
echo "|---|---|---|---|---|---|"
for net in "$@"; do
  name=$(basename "$net" .net)
  "$build/espalier" convert "$net" --to roots -o "$work/whole"
  row "$net" "$name" none
  for damage in $damages; do
    kind=${damage%%:*} amount=${damage##*:}
    # compare knows how many there are.
    count=$("$build/espalier" compare "$net" --engines dmodc --damage "$damage" --json "$work/none" --list |
      sed -n "s/.*: $kind \([0-9]*\) of .*/\1/p" | head -n 1)
    [[ -n $count ]] || continue
    "$build/espalier" degrade "$net" "--$kind" "$count" --seed "$seed" -o "$work/hurt.net"
    row "$work/hurt.net" "$name" "$amount of $kind"
  done
done
