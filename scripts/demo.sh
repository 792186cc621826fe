#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# From a bare Debian 12 to a routed fabric: installs what is missing, builds, lets the real OpenSM route a simulated
# fat tree with Espalier, cuts a cable and shows the reaction. Takes seconds after the build; leaves nothing running.
#
# Usage: demo.sh [ENGINE]    balanced (default), dmodc, gxmodk, sftree, fors, dragonfly, dragonfly-rlm
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

engine=${1:-balanced}
case $engine in
  balanced | dmodc | gxmodk | sftree | fors | dragonfly | dragonfly-rlm) ;;
  *) sed -n '3,${/^#/!q;s/^# \{0,1\}//;p}' "scripts/${0##*/}" >&2; exit 2 ;;
esac
kind=pgft
spec="2;18,36;1,18;1,1" # 648 hosts on 36 leaves, each leaf with one cable to each of 18 spines
options=()
if [[ $engine == dragonfly* ]]; then
  kind=dragonfly
  spec="2,4,2,9" # 72 hosts, 9 groups of 4 routers, one cable between any two groups
  options=("qos TRUE" "lmc 2") # OpenSM sets virtual lanes only with qos; four LIDs for each host: four paths to it
fi
out=build/demo

headings=0
heading() { printf '\n%d. %s\n' $((++headings)) "$1"; }
say() { printf '   %s\n' "$@"; }
quote() { sed 's/^/   | /'; }

heading "Install what is missing and build"
started=$SECONDS
mkdir -p "$out"
if ! { scripts/install_deps.sh run && cmake --preset release && cmake --build --preset release --parallel "$(nproc)" \
  --target espalier espalier_plugin espalier_probe; } \
  >"$out/build.log" 2>&1; then
  tail -n 40 "$out/build.log" >&2
  echo "demo: the build failed, see $out/build.log" >&2
  exit 1
fi
say "done in $((SECONDS - started)) s: build/espalier (command), build/libespalier.so (plugin of OpenSM)"

# shellcheck source=scripts/opensm_on_ibsim.sh
source scripts/opensm_on_ibsim.sh
finish() {
  set +e
  stop_all >/dev/null 2>&1
  rm -f "$run_dir/ibsim.in"
}
new_run "$PWD/$out/$(date +%Y%m%d-%H%M%S)-$$"
trap finish EXIT
fabric=$run_dir/fabric.net

# die TEXT: what went wrong, with the last words of OpenSM.
die() {
  echo "demo: $1; the end of ${sm_log-the log}:" >&2
  tail -n 15 "${sm_log-/dev/null}" >&2
  exit 1
}

# wait_until_routed: the next "SUBNET UP" after the mark, and before it a line of our engine.
wait_until_routed() {
  wait_routed 60 2>/dev/null || die "the subnet did not come up within 60 s"
  in_log "SUBNET UP" || die "OpenSM found no engine able to route the fabric"
  in_log "espalier: $engine: .* entr[a-z]* changed" || die "OpenSM did not use $engine"
}

# What Espalier logged of the last routing run.
routing_line() { log_since_mark | grep "espalier: $engine: .* entr[a-z]* changed" | tail -n 1 | sed 's/^.*-> //'; }
changes() { routing_line | sed 's/.*; \([0-9]*\) entr[a-z]* changed in \([0-9]*\) block.*/\1 entries in \2 blocks/'; }

# path: the switches between the two hosts, as the fabric itself answers (ibtracert asks each switch for its table).
path() { as_host "$(first_host)" ibtracert -G "$from" "$to" 2>/dev/null; }
short_path() { sed -n 's/^\[\([0-9]*\)\] -> .*"\(.*\)"$/port \1 -> \2/p' "$1" | tr -s ' ' | paste -sd ',' | sed 's/,/, /g'; }

heading "Generate a fabric: $kind($spec)"
build/espalier generate $kind "$spec" --output "$fabric"
say "$(grep -c '^Switch' "$fabric") switches and $(grep -c '^\(Hca\|Ca\)' "$fabric") hosts: ${fabric#"$PWD"/}"

heading "Route it: OpenSM on the simulator ibsim, routing_engine $engine"
start_ibsim "$fabric" || die "ibsim did not start"
start_opensm "routing_engine $engine,no_fallback" "${options[@]}"
mark_log
wait_until_routed
first_changes=$(changes)
routing_line | fold -s -w 100 | quote
say "OpenSM is blocked for these milliseconds. Each changed block is one message with 64 table entries to a switch." \
  "No table is sent before verify has proved it sound."

if [[ $kind == dragonfly ]]; then
  heading "Prove it on virtual lanes, and see what paths through other groups gain"
  as_host "$(first_host)" ibnetdiscover >"$run_dir/discovered" 2>/dev/null
  build/espalier route "$run_dir/discovered" -e "$engine" --lanes "$run_dir/lanes" -o "$run_dir/tables" 2>/dev/null
  build/espalier verify "$run_dir/discovered" "$run_dir/sm/opensm-lfts.dump" --lanes "$run_dir/lanes" | quote
  for offsets in 0 1-3; do
    build/espalier analyze "$run_dir/discovered" "$run_dir/tables" --patterns advg:1 --lid-offset $offsets --json |
      sed -n "s/.*\"throughput_advg_1\": \([0-9.]*\).*/every group sends to the next, LID offset $offsets: \1 of a host's rate/p" | quote
  done
fi

heading "Ask for one route"
hosts=$(sed -n 's/^\(Hca\|Ca\)[^"]*"H-\([0-9a-f]*\)".*/\2/p' "$fabric")
port_guid() { printf '0x%016x' $((16#$1 + 1)); } # ibsim's rule for port 1
from=$(port_guid "$(head -n 1 <<<"$hosts")")
to=$(port_guid "$(tail -n 1 <<<"$hosts")")
path >"$run_dir/path.before" || die "ibtracert found no path"
say "ibtracert, first host to last: $(short_path "$run_dir/path.before")"

# The cable that this route takes from its leaf to a spine: the second hop of the path.
cable=$(awk '/^\[[0-9]+\] -> switch/ {
  port = $1; gsub(/[^0-9]/, "", port)
  if (leaf != "") { print "\"S-" leaf "\"[" port "]"; exit }
  match($0, /{0x[0-9a-f]+}/); leaf = substr($0, RSTART + 3, RLENGTH - 4)
}' "$run_dir/path.before")
[[ -n $cable ]] || die "the path has no spine"

heading "Cut the cable $cable, which this route uses"
mark_log
ibsim_cmd "Unlink $cable"
wait_until_routed
routing_line | fold -s -w 100 | quote
path >"$run_dir/path.after" || die "ibtracert found no path after the cut"
say "the same route now: $(short_path "$run_dir/path.after")"
if cmp -s "$run_dir/path.before" "$run_dir/path.after"; then
  die "the route still uses the cable"
fi

heading "Summary"
say "OpenSM asked Espalier twice. First it sent $first_changes to the switches," \
  "after the cut $(changes): OpenSM sends only blocks that differ." \
  "Next: scripts/run_opensm.sh YOUR.net routes a fabric of yours (output of ibnetdiscover)," \
  "      build/espalier --help computes, checks and explains routes without OpenSM." \
  "Logs and tables of this run: ${run_dir#"$PWD"/}"
