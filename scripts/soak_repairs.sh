#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Lets the real OpenSM repair the tables of a simulated fabric (ibsim) while cables, switches and hosts fail and come
# back, three quarters of them in the middle of a sweep. How long did the callbacks hold OpenSM, and are the tables at
# quiet points sound and those that `espalier repair` computes from the reference in state_directory?
#
#   scripts/soak_repairs.sh [OPTION ...] FILE.net
#     -n, --events N    default 1000
#     -e, --engine E    default balanced
#     -s, --seed S      default 1
#     -q, --quiet N     after each group comes a quiet point with a chance of one in N; 0: only one, at the end, and
#                       no judge, for fabrics on which a discovery takes minutes. Default 4
#     -g, --group N     events that come at once; default 1
#     -p, --pause S     seconds after a group that no quiet point follows; or callback: until it has led to one, or for
#                       three minutes. Default 0
#     -l, --lanes N     for engines with virtual lanes, on links that have N (1, 2, 4, 8, 15): SL2VL tables and path records
#                       are judged as well, hosts move to where a cable was, OpenSM is killed and started again, and
#                       options change; no new tables are searched for
#     -u, --busy N      as many processes that do nothing but use a processor; default 0
#     -b, --build DIR   where libespalier.so and espalier are; default build
#
# One line at each quiet point that is not as it should be, one at the end: callbacks, their milliseconds (median, 99 %,
# most), resident memory at the first and last quiet point, and whether the first tables are back. Exit status 0: no
# finding.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=scripts/opensm_on_ibsim.sh
source "$here/opensm_on_ibsim.sh"

events=1000 engine=balanced seed=1 quiet=4 group=1 pause=0 busy=0 lanes=""
while (($# > 1)); do
  case $1 in
    -n | --events) events=$2 ;;
    -e | --engine) engine=$2 ;;
    -s | --seed) seed=$2 ;;
    -q | --quiet) quiet=$2 ;;
    -g | --group) group=$2 ;;
    -p | --pause) pause=$2 ;;
    -l | --lanes) lanes=$2 ;;
    -u | --busy) busy=$2 ;;
    -b | --build) ESPALIER_BUILD=$(cd "$2" && pwd) ;;
    *) break ;;
  esac
  shift 2
done
[[ $# == 1 && -r $1 ]] || { sed -n '3,${/^#/!q;s/^# \{0,1\}//;p}' "$0" >&2 && exit 2; }
net=$(realpath "$1")
espalier=$ESPALIER_BUILD/espalier

# in_sweep: whether the log's last sweep has not ended.
in_sweep() {
  local last
  last=$(grep -o -e "INITIATING HEAVY SWEEP" -e "SUBNET UP (" -e "SUBNET UP$" -e "ERRORS DURING INIT" "$sm_log" | tail -n 1)
  [[ -z $last || $last == INIT* ]]
}
is_still() { is_quiet && ! in_sweep; }
settle() { wait_for "the end of the sweeps" 300 is_still; }
resweep() {
  mark_log
  kill -HUP "$sm_pid"
  wait_log "SUBNET UP\|ERRORS DURING INIT" 300
  settle
}

# judge: what is wrong, or nothing. The thread may still be about to save what it has learnt.
judge() {
  as_host "$(first_host)" ibnetdiscover >"$run_dir/now.net" 2>/dev/null
  is_sound || { echo "unsound: $(tail -n 1 "$run_dir/verdict")" && return; }
  wait_for "the tables of espalier repair" 15 is_as_computed 2>/dev/null || echo "not the tables of espalier repair"
}
is_sound() {
  if [[ -n $lanes ]]; then
    as_host "$(first_host)" "$espalier" verify --live --traffic end-ports >"$run_dir/verdict" 2>&1
  else
    "$espalier" verify "$run_dir/now.net" "$run_dir/sm/opensm-lfts.dump" >"$run_dir/verdict" 2>&1
  fi
}
is_as_computed() {
  "$espalier" repair "$run_dir/now.net" --reference "$run_dir/state/reference" -o "$run_dir/now.lfts" 2>/dev/null
  "$espalier" diff "$run_dir/now.lfts" "$run_dir/sm/opensm-lfts.dump" >/dev/null 2>&1
}

findings=0 points=0 first_rss=0
quiet_point() { # quiet_point WHAT
  local wrong
  sleep 0.5
  resweep
  points=$((points + 1))
  ((points == 1)) && first_rss=$(rss_kb)
  kill -0 "$sm_pid" 2>/dev/null || { findings=$((findings + 1)) && echo "$1: OpenSM died" && exit 1; }
  ((quiet > 0)) || return
  wrong=$(judge)
  # A trap that was on its way: once more.
  [[ -z $wrong ]] || { resweep && wrong=$(judge); }
  [[ -z $wrong ]] && return
  findings=$((findings + 1))
  echo "$1: $wrong"
  cp "$run_dir/now.net" "$run_dir/finding.$findings.net"
  cp "$run_dir/sm/opensm-lfts.dump" "$run_dir/finding.$findings.lfts"
  cp "$run_dir/state/reference" "$run_dir/finding.$findings.reference"
}

# What may fail: cables between switches, now and then a host, a switch without hosts, or one with them; never the
# subnet manager's own host or leaf.
read_parts() {
  mapfile -t cables < <(switch_cables)
  mapfile -t switches < <(sed -n 's/^Switch[^"]*\("[^"]*"\).*/\1/p' "$net" | grep -vxF "\"$(first_leaf)\"")
  mapfile -t hosts < <(sed -n 's/^\(Hca\|Ca\)[^"]*\("[^"]*"\).*/\2/p' "$net" | tail -n +2)
}
declare -A gone=()
declare -A moved=() # hosts that hang elsewhere: "CABLE"
random_event() {
  local back
  [[ -n $lanes ]] && ((RANDOM % 4 == 0)) && more_events && return
  if ((RANDOM % 2 && ${#gone[@]} > 0)) || ((${#gone[@]} > 12)); then
    back=("${!gone[@]}")
    what=${back[RANDOM % ${#back[@]}]}
    ibsim_cmd "Relink $what"
    unset 'gone[$what]'
    return
  fi
  case $((RANDOM % 8)) in
    0) what=${switches[(RANDOM * 32768 + RANDOM) % ${#switches[@]}]} ;;
    1) what=${hosts[(RANDOM * 32768 + RANDOM) % ${#hosts[@]}]} ;;
    *) what=${cables[(RANDOM * 32768 + RANDOM) % ${#cables[@]}]} ;;
  esac
  ibsim_cmd "Unlink $what"
  gone[$what]=1
}

# home HOST: where it hangs in the file, as "switch"[port].
home() {
  awk -v host="$1" '/^Switch/ { match($0, /"[^"]*"/); s = substr($0, RSTART, RLENGTH) }
    /^\[/ && index($0, host) { match($0, /^\[[0-9]*\]/); print s substr($0, RSTART, RLENGTH); exit }' "$net"
}
# far CABLE: its other end.
far() {
  awk -v end="$1" '/^Switch/ { match($0, /"[^"]*"/); s = substr($0, RSTART, RLENGTH) }
    /^\[/ {
      match($0, /^\[[0-9]*\]/)
      if (s substr($0, RSTART, RLENGTH) != end || !match($0, /"[^"]*"\[[0-9]*\]/)) next
      print substr($0, RSTART, RLENGTH)
      exit
    }' "$net"
}
host_moves() {
  local host=${hosts[RANDOM % ${#hosts[@]}]} cable=${cables[RANDOM % ${#cables[@]}]}
  what="$host to $cable"
  [[ -z ${gone[$host]:-}${gone[$cable]:-}${moved[$host]:-} ]] || return 0
  ibsim_cmd "Unlink $cable"
  ibsim_cmd "Unlink $host"
  ibsim_cmd "Link ${host}[1] $cable"
  moved[$host]=$cable
}
host_returns() { # host_returns HOST
  what="$1 from ${moved[$1]}"
  ibsim_cmd "Unlink $1"
  ibsim_cmd "Link ${1}[1] $(home "$1")"
  # What was there last is the host: Relink would take that.
  ibsim_cmd "Link ${moved[$1]} $(far "${moved[$1]}")"
  unset 'moved[$1]'
}
more_events() {
  local away=("${!moved[@]}")
  case $((RANDOM % 8)) in
    0) manager_is_killed ;;
    1) options_change ;;
    2 | 3 | 4) if ((${#away[@]} > 0)); then host_returns "${away[RANDOM % ${#away[@]}]}"; else host_moves; fi ;;
    *) ((${#away[@]} > 3)) || host_moves ;;
  esac
}
manager_is_killed() {
  what="manager killed"
  kill -KILL "$sm_pid"
  wait "$sm_pid" 2>/dev/null
  start_manager
  wait_log "SUBNET UP\|ERRORS DURING INIT" 300
}
# None that makes other tables: the first ones are to come back.
options_change() {
  what="full_upload_every $((RANDOM % 3))"
  write_conf "$what"
  kill -HUP "$sm_pid"
}
write_conf() {
  local rebalance=("rebalance auto" "rebalance_quiet_seconds 2")
  [[ -n $lanes ]] && rebalance=("rebalance never")
  printf '%s\n' "repair always" "state_directory $run_dir/state" "performance_log $run_dir/runs" "${rebalance[@]}" "$@" \
    >"$run_dir/conf"
}
start_manager() {
  local qos=() codes=([1]=1 [2]=2 [4]=3 [8]=4 [15]=5)
  [[ -n $lanes ]] && qos=("qos TRUE" "max_op_vls ${codes[lanes]}")
  start_opensm "routing_engine $engine no_fallback" "event_plugin_options $run_dir/conf" "${qos[@]}"
}

# What follows a group.
callbacks() { wc -l <"$run_dir/runs"; }
has_new_callback() { (($(callbacks) > callbacks_before)); }
pause_after_group() {
  if [[ $pause == callback ]]; then
    wait_for "a callback" 180 has_new_callback
  else
    sleep "$pause"
  fi
}

finish() {
  stop_all >/dev/null 2>&1
}
trap finish EXIT
new_run "$(mktemp -d -t espalier-soak-XXXXXX)" || exit 2
RANDOM=$seed
start_ibsim "$net" || exit 2
read_parts
write_conf
log_flags=$( ((quiet > 0)) && echo 0x47 || echo 0x03)
start_manager
wait_log "SUBNET UP" 600 || exit 1
wait_for "the reference" 600 test -s "$run_dir/state/reference" || exit 1
settle
((quiet > 0)) && cp "$run_dir/sm/opensm-lfts.dump" "$run_dir/first.lfts"
for ((i = 0; i < busy; ++i)); do
  bound sh -c 'while :; do :; done' &
  started_pids+=("$!")
done
echo "$engine on $(basename "$net"), seed $seed, files in $run_dir"
callbacks_before=$(callbacks)
for ((event = 1; event <= events; ++event)); do
  random_event
  ((event % group == 0)) || continue
  if ((quiet > 0 && RANDOM % quiet == 0)); then quiet_point "event $event: $what"; else pause_after_group; fi
  callbacks_before=$(callbacks)
done
for host in "${!moved[@]}"; do host_returns "$host"; done
for what in "${!gone[@]}"; do ibsim_cmd "Relink $what"; done
# Cables to a port of a switch that was gone when a host left it.
[[ -z $lanes ]] || for what in "${cables[@]}"; do ibsim_cmd "Link $what $(far "$what")"; done
write_conf
quiet_point "the end"
# New tables after quiet seconds and a search, if these were others: the first ones. On a busy machine that takes longer.
are_first_tables() {
  resweep
  "$espalier" diff "$run_dir/first.lfts" "$run_dir/sm/opensm-lfts.dump" >"$run_dir/diff" 2>&1
}
back=""
if ((quiet > 0)); then
  sleep 5
  back=", the first tables are back"
  wait_for "the first tables" 60 are_first_tables 2>/dev/null || back=", the first tables are not back"
fi
python3 - "$run_dir/runs" "$events events, $points quiet points, $findings findings, RSS $first_rss to $(rss_kb) kB$back" <<'END'
import json, sys
ms = sorted(json.loads(line)["under_lock_ms"] for line in open(sys.argv[1]))
at = lambda share: ms[min(len(ms) - 1, int(len(ms) * share))]
print(f"{sys.argv[2]}; {len(ms)} callbacks: median {at(0.5):.1f}, 99 % {at(0.99):.1f}, most {ms[-1]:.1f} ms, {sum(t > 100 for t in ms)} above 100 ms")
END
exit $((findings > 0))
