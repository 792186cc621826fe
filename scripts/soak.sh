#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Lets the real OpenSM route with Espalier on simulated fabrics (ibsim) while links, switches and hosts fail and come back,
# cables are exchanged, packets are lost, the subnet manager is killed, espalier.conf changes, and hosts join and leave
# multicast groups: random events, some in the middle of sweeps. After every few events comes a quiet point: losses end,
# one sweep is forced, and then what the switches hold is read back and judged.
#
#   scripts/soak.sh [OPTION ...] [FILE.net ...]    default: three generated fabrics
#     -n, --events N        events on each fabric with each engine; default 100
#     -e, --engines "A B"   default "balanced dmodc gxmodk sftree"; names of stock engines are a control. Those with virtual
#                           lanes (layers, dragonfly, ...) are judged by traffic between end ports, on the lanes that they get
#     -s, --seed S          of the first run, which others count up from; default 1. Same seed, same events, though not at
#                           the same microsecond
#     -q, --quiet N         events between two quiet points; default 8
#     -b, --build DIR       where libespalier.so, espalier and, for joins, mcast_member are; default build. May be a
#                           sanitizer's build
#     -d, --out DIR         default a new one; logs of runs with a finding stay there
#
# One line for each run: events, quiet points, those with unsound tables or a wrong multicast tree within one forced
# sweep, deaths of OpenSM that we did not cause, resident memory at the first and last quiet point. Exit status 0: no finding.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=scripts/opensm_on_ibsim.sh
source "$here/opensm_on_ibsim.sh"
# shellcheck source=scripts/soak_events.sh
source "$here/soak_events.sh"

events=100 engines="balanced dmodc gxmodk sftree" seed=1 quiet=8 out=""
ESPALIER_BUILD=$repo/build
while (($# > 0)); do
  case $1 in
    -n | --events) events=$2 ;;
    -e | --engines) engines=$2 ;;
    -s | --seed) seed=$2 ;;
    -q | --quiet) quiet=$2 ;;
    -b | --build) ESPALIER_BUILD=$(cd "$2" && pwd) ;;
    -d | --out) out=$2 ;;
    -*) sed -n '3,${/^#/!q;s/^# \{0,1\}//;p}' "$0" >&2 && exit 2 ;;
    *) break ;;
  esac
  shift 2
done
[[ -x $ESPALIER_BUILD/mcast_member ]] ||
  echo "nobody joins multicast groups: $ESPALIER_BUILD has no mcast_member, which comes with the tests (--build build/dev)" >&2
umask 077
out=${out:-$(mktemp -d -t espalier-soak-XXXXXX)}
mkdir -p "$out"
out=$(cd "$out" && pwd)
trap 'stop_all >/dev/null 2>&1' EXIT

nets=("$@")
if ((${#nets[@]} == 0)); then
  "$ESPALIER_BUILD/espalier" generate pgft "2;6,8;1,4;1,1" -o "$out/two_level.net"
  "$ESPALIER_BUILD/espalier" generate pgft "3;3,2,4;1,2,2;1,1,2" -o "$out/three_level.net"
  "$ESPALIER_BUILD/espalier" generate pgft "3;2,3,3;1,3,3;1,1,1" -o "$out/wide.net"
  "$ESPALIER_BUILD/espalier" degrade "$out/wide.net" --links 6 --seed 1007 -o "$out/damaged.net"
  nets=("$out/two_level.net" "$out/three_level.net" "$out/damaged.net")
fi

# verdict: judges what the switches hold; sets $unsound to a sentence, or to nothing.
verdict() {
  unsound=""
  local said traffic=all
  needs_lanes && traffic=end-ports
  said=$(as_host "$(first_host)" "$ESPALIER_BUILD/espalier" verify --live -t 500 --traffic $traffic 2>&1)
  case $? in
    0) ;;
    1) unsound="unsound: $(head -n 1 <<<"$said")" ;;
    *) unsound="no answer: $(tail -n 1 <<<"$said")" ;;
  esac
  [[ -n $unsound ]] && return
  as_host "$(first_host)" ibnetdiscover >"$run_dir/discovered" 2>/dev/null
  as_host "$(first_host)" dump_fts -M >"$run_dir/mfts" 2>/dev/null
  said=$(python3 "$here/check_multicast.py" "$run_dir/discovered" "$run_dir/mfts" "$run_dir/sm/opensm-sa.dump" 2>&1) ||
    unsound="multicast: $(tail -n 1 <<<"$said")"
}

forced_sweep() {
  mark_log
  hang_up
  wait_log "SUBNET UP\|ERRORS DURING INITIALIZATION" 90 2>/dev/null
  wait_for "quiet" 60 is_quiet 2>/dev/null
}

# quiet_point: ends the losses, forces one sweep, judges.
quiet_point() {
  end_losses
  wait_for "quiet" 90 is_quiet 2>/dev/null
  if ! kill -0 "$sm_pid" 2>/dev/null; then
    deaths=$((deaths + 1))
    report "OpenSM died: $(tail -n 1 "$run_dir/sm/opensm.out")"
    restart_sm
  fi
  forced_sweep
  verdict
  points=$((points + 1))
  rss=$(rss_kb 2>/dev/null)
  ((points == 1)) && first_rss=$rss
  if [[ -n $unsound ]]; then
    findings=$((findings + 1))
    report "after event $event: $unsound"
    cp "$sm_log" "$run_dir/opensm.log.$event"
    forced_sweep
    verdict
    report "and after one sweep more: ${unsound:-sound}"
  fi
}

report() { printf '%s\n' "$1" | tee -a "$run_dir/report" | sed 's/^/   /'; }

# soak NET ENGINE SEED
soak() {
  new_run "$out/$(basename "$1" .net)-$2-$3"
  RANDOM=$3 findings=0 deaths=0 points=0 first_rss=0 rss=0 engine=$2
  : >"$run_dir/events"
  start_ibsim "$1" || return 2
  read_fabric "$1"
  write_conf "seed 1"
  restart_sm
  if ! wait_log "SUBNET UP" 60; then
    report "the subnet did not come up"
    findings=1
  fi
  for ((event = 1; event <= events; ++event)); do
    random_event
    ((RANDOM % 3 == 0)) || sleep "0.$((RANDOM % 10))"
    ((event % quiet == 0)) && quiet_point
  done
  ((events % quiet == 0)) || quiet_point
  stop_all >/dev/null 2>&1
  grep -l "ERROR: AddressSanitizer\|runtime error:" "$run_dir"/sm/opensm.out* 2>/dev/null | while read -r file; do
    report "a sanitizer complains in $file"
    echo 1 >"$run_dir/sanitizer"
  done
  [[ -e $run_dir/sanitizer ]] && findings=$((findings + 1))
  printf '%s %s seed %s: %d events, %d quiet points, %d findings, %d deaths, RSS %s to %s kB\n' "$(basename "$1")" "$2" "$3" \
    "$events" "$points" "$findings" "$deaths" "$first_rss" "$rss"
  ((findings + deaths == 0)) && rm -rf "$run_dir"
  return $((findings + deaths > 0))
}

failed=0
for net in "${nets[@]}"; do
  for engine in $engines; do
    soak "$(realpath "$net")" "$engine" "$seed" || failed=$((failed + 1))
    seed=$((seed + 1))
  done
done
((failed == 0)) && echo "no finding" || echo "$failed runs with findings; their logs are in $out"
exit $((failed > 0))
