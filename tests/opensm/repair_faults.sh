#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Faults of every kind while tables are repaired: links, parallel links, spines, leaves, hosts, the subnet manager's own
# leaf; pairs without an up-down path; faults in the middle of sweeps; flaps; growth. After each step the tables are sound
# and those that `espalier repair` computes from the reference in state_directory; in the end everything has returned,
# and so have the first tables.
#
# With EVENTS=N (and SEED=S) so many random events follow, on a tree of 144 hosts.
source "$(dirname "$0")/common.sh" "$@"
engine=${ENGINE:-balanced}

sm() {
  {
    printf '%s\n' "repair always" "state_directory $run_dir/state" "rebalance ${rebalance:-never}" \
      "rebalance_quiet_seconds 2" "$@"
  } >"$run_dir/conf"
  start_opensm "routing_engine $engine no_fallback" "event_plugin_options $run_dir/conf"
  wait_log "SUBNET UP"
  wait_for "the reference" 120 test -s "$run_dir/state/reference"
  settle
}
lfts() { cp "$run_dir/sm/opensm-lfts.dump" "$run_dir/$1.lfts"; }
# What there is now: sound, and as anybody can compute it. The thread may still be about to save what it has learnt.
is_as_computed() {
  "$espalier" repair "$run_dir/now.net" --reference "$run_dir/state/reference" -o "$run_dir/now.lfts" 2>/dev/null
  "$espalier" diff "$run_dir/now.lfts" "$run_dir/sm/opensm-lfts.dump" >/dev/null
}
# Exit status 2: the dump is no dump, as a sweep that the thread has asked for writes it anew.
is_judged() {
  judged=0
  "$espalier" verify "$run_dir/now.net" "$run_dir/sm/opensm-lfts.dump" >"$run_dir/verdict" || judged=$?
  ((judged != 2))
}
check_step() {
  discover "$run_dir/now.net"
  wait_for "$1: a whole dump" 10 is_judged
  expect "$1: sound tables: $(<"$run_dir/verdict")" test "$judged" = 0
  expect_not "$1: an error of ours" in_log "0x01 -> espalier"
  wait_for "$1: the tables of espalier repair" 10 is_as_computed
}
# several COMMAND ...: one after another, without waiting; then a sweep is asked for, since OpenSM ignores the traps of a
# switch that has sent many.
several() {
  local command
  for command in "$@"; do ibsim_cmd "$command"; done
  sleep 0.3
  kill -HUP "$sm_pid"
}
step() { # step WHAT COMMAND ...
  local what=$1
  shift
  sweep_after several "$@"
  check_step "$what"
}

# Leaves have hosts on ports 1 .. 3, spine s on ports 2 s + 2 and 2 s + 3.
two_level 6 3 3 2 >"$run_dir/net"
start_ibsim "$run_dir/net"
ibsim_cmd 'Unlink "leaf6"'
sleep 0.3
sm
check_step "start"
step "growth: a leaf with its hosts" 'Relink "leaf6"'
lfts first
step "a link" 'Unlink "leaf2"[4]'
step "its twin" 'Unlink "leaf2"[5]'
step "a spine, in the middle of the sweep two links" 'Unlink "spine3"' 'Unlink "leaf4"[4]' 'Unlink "leaf5"[7]'
step "a leaf and a host" 'Unlink "leaf3"' 'Unlink "host5.1"'
step "recovery in part" 'Relink "spine3"' 'Relink "leaf3"' 'Relink "leaf4"[4]' 'Relink "leaf5"[7]'
# leaf2 is left with spine3, leaf4 with spine1: no path goes up, then down.
step "no up-down path" 'Unlink "leaf2"[6]' 'Unlink "leaf2"[7]' 'Unlink "leaf4"[6]' 'Unlink "leaf4"[7]' \
  'Unlink "leaf4"[8]' 'Unlink "leaf4"[9]'
expect "a path all the same" has_path host2.1 host4.1
step "the subnet manager's leaf alone" 'Unlink "spine1"' 'Unlink "spine2"' 'Unlink "spine3"'
expect "an islet" grep -q " 1 switch," <<<"$(last_summary)"
step "everything returns" 'Relink "spine1"' 'Relink "spine2"' 'Relink "spine3"' 'Relink "host5.1"' \
  'Relink "leaf2"[4]' 'Relink "leaf2"[5]' 'Relink "leaf2"[6]' 'Relink "leaf2"[7]' 'Relink "leaf4"[6]' \
  'Relink "leaf4"[7]' 'Relink "leaf4"[8]' 'Relink "leaf4"[9]'
lfts last
expect "the first tables" "$espalier" diff "$run_dir/first.lfts" "$run_dir/last.lfts"
expect_not "a link that is held" in_log "held, since it flaps"

# A link that flaps is held for 4 s, is used again, and the tables are the first ones then.
sed -i '$a flap_hold_seconds 4' "$run_dir/conf"
resweep # reads the option and notes what is there
for _ in 1 2 3; do
  sweep_after several 'Unlink "leaf1"[4]'
  sweep_after several 'Relink "leaf1"[4]'
done
log_mark=1
if in_log "held, since it flaps"; then
  expect "its name" in_log "held, since it flaps: .*leaf1.* port 4 - .*spine1.* port 1"
  mark_log
  wait_log "no link flaps any more" 120
  settle
else
  # On a machine so slow that sweeps take as long as the hold, nothing flaps.
  echo "sweeps are too slow for flaps of 4 s"
fi
check_step "after flaps"
lfts last
expect "the first tables after flaps" "$espalier" diff "$run_dir/first.lfts" "$run_dir/last.lfts"

((${EVENTS:-0} > 0)) || exit 0
stop_all
new_run "$top_dir/events"
RANDOM=${SEED:-1001}
"$espalier" generate pgft "3;6,4,6;1,4,4;1,1,1" -o "$run_dir/net"
start_ibsim "$run_dir/net"
rebalance=auto
sm
lfts first
mapfile -t cables < <(switch_cables)
mapfile -t spines < <(sed -n 's/^Switch[^"]*\("[^"]*"\).*"L[23] [0-9.]*".*/\1/p' "$net_file")
declare -A gone=()
for ((event = 1; event <= EVENTS; ++event)); do
  if ((RANDOM % 2 && ${#gone[@]} > 0)) || ((${#gone[@]} > 12)); then
    back=("${!gone[@]}")
    what=${back[RANDOM % ${#back[@]}]}
    ibsim_cmd "Relink $what"
    unset 'gone[$what]'
  else
    what=${cables[RANDOM % ${#cables[@]}]}
    ((RANDOM % 5)) || what=${spines[RANDOM % ${#spines[@]}]}
    ibsim_cmd "Unlink $what"
    gone[$what]=1
  fi
  ((RANDOM % 4)) && continue # the next comes in the middle of the sweep
  sleep 0.5
  resweep
  check_step "event $event: $what"
  echo "event $event: $(last_summary | sed 's/.*ms: //'), RSS $(rss_kb) kB"
done
for what in "${!gone[@]}"; do ibsim_cmd "Relink $what"; done
sleep 0.5
resweep
check_step "the end"
# New tables after 2 quiet seconds, if these were others: the first ones.
sleep 5
settle
resweep
sleep 5
settle
lfts last
"$espalier" diff "$run_dir/first.lfts" "$run_dir/last.lfts" | tail -n 1
