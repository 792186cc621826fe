# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# What each script in this directory starts with: a directory of its own, the functions of scripts/opensm_on_ibsim.sh,
# assertions, and a trap that tells which command failed and how OpenSM's log ended. A script is run as
# `SCRIPT BUILD_DIR`.
set -euo pipefail

test_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ESPALIER_BUILD=$(cd "${1:?usage: $0 BUILD_DIR}" && pwd)
espalier=$ESPALIER_BUILD/espalier
# shellcheck source=scripts/opensm_on_ibsim.sh
source "$test_dir/../../scripts/opensm_on_ibsim.sh"

for program in opensm ibsim ibdmchk saquery ibtracert; do
  if ! PATH=$PATH:/usr/sbin command -v $program >/dev/null; then
    echo "skipped: there is no $program"
    exit 77
  fi
done
PATH=$PATH:/usr/sbin

failed() {
  echo "FAILED: line $2: $1" >&2
  [[ -r ${sm_log:-} ]] && tail -n 40 "$sm_log" >&2
  echo "files in $run_dir" >&2
}
finish() {
  local status=$?
  trap - ERR
  set +e
  stop_all
  ((status == 0)) && rm -rf "$top_dir"
  exit "$status"
}
trap 'failed "$BASH_COMMAND" "$LINENO"' ERR
trap finish EXIT
set -E
new_run "$(mktemp -d -t espalier-test-XXXXXX)"
top_dir=$run_dir # that of all runs
log_flags=0x47

# two_level LEAVES SPINES HOSTS [PARALLEL]: a two-level tree as ibnetdiscover would print it; HOSTS on each leaf. Nodes
# are called leaf1, spine1, host1.1 and so on. A leaf has its hosts on ports 1 .. HOSTS and its spines above.
two_level() {
  awk -v leaves="$1" -v spines="$2" -v hosts="$3" -v parallel="${4:-1}" 'BEGIN {
    from_ca = "\t# lid 0 lmc 0 \"\" lid 0 4xQDR"
    to_any = "\t# \"\" lid 0 4xQDR"
    for (l = 1; l <= leaves; ++l)
      for (h = 1; h <= hosts; ++h) printf "Ca 1 \"host%d.%d\"\n[1] \"leaf%d\"[%d]%s\n\n", l, h, l, h, from_ca
    for (l = 1; l <= leaves; ++l) {
      printf "Switch %d \"leaf%d\"\n", hosts + spines * parallel, l
      for (h = 1; h <= hosts; ++h) printf "[%d] \"host%d.%d\"[1]%s\n", h, l, h, to_any
      for (s = 0; s < spines * parallel; ++s)
        printf "[%d] \"spine%d\"[%d]%s\n", hosts + 1 + s, int(s / parallel) + 1,
          (l - 1) * parallel + s % parallel + 1, to_any
      print ""
    }
    for (s = 0; s < spines; ++s) {
      printf "Switch %d \"spine%d\"\n", leaves * parallel, s + 1
      for (p = 0; p < leaves * parallel; ++p)
        printf "[%d] \"leaf%d\"[%d]%s\n", p + 1, int(p / parallel) + 1, hosts + 1 + s * parallel + p % parallel, to_any
      print ""
    }
  }'
}

# every_engine: the names of all engines of the command.
every_engine() {
  "$espalier" manual "$run_dir/manual"
  sed -n 's/.*\["route --engine"\]="\(.*\)"/\1/p' "$run_dir/manual/completions/espalier"
}

# The summary line of the last run.
last_summary() { grep -e "espalier: [a-z0-9-]*: \([0-9]* levels\?\|dragonfly+\? of\)" "$sm_log" | tail -n 1 || true; }

# expect WHAT COMMAND ...: the command has to succeed.
expect() {
  local what=$1
  shift
  if ! "$@"; then
    echo "expected: $what" >&2
    return 1
  fi
}
expect_not() {
  local what=$1
  shift
  if "$@"; then
    echo "not expected: $what" >&2
    return 1
  fi
}

# is_swept: no sweep is going on, which writes the dumps again.
is_swept() {
  local last
  last=$(grep -o -e "INITIATING HEAVY SWEEP" -e "SUBNET UP (" -e "ERRORS DURING INIT" "$sm_log" | tail -n 1)
  [[ $last != INIT* ]]
}

# judge: ibdmchk on the dumps of the last sweep, and our own verifier on what ibnetdiscover sees. Fails unless all CA to
# CA paths exist and there is no credit loop. Once more if a sweep began meanwhile. (Debian's ibdmchk crashes after its
# verdict: its status says nothing.)
judge() {
  local sweeps
  while wait_for "the end of the sweep" 60 is_swept && sweeps=$(num_sweeps); do
    if judge_dumps; then return 0; fi
    [[ $(num_sweeps) != "$sweeps" ]] || return 1
  done
  return 1
}
num_sweeps() { grep -c "INITIATING HEAVY SWEEP" "$sm_log" || true; }
judge_dumps() {
  local dir=$run_dir/$sm_name verdict
  verdict=$(cd "$dir" && timeout -s KILL 120 ibdmchk -s opensm-subnet.lst -f opensm.fdbs -m opensm.mcfdbs 2>&1 || true)
  if ! grep -q "no credit loops found" <<<"$verdict" || grep -q "^-E-" <<<"$verdict"; then
    echo "ibdmchk is not content:" >&2
    grep -e "^-[EW]-" -e "credit loop" <<<"$verdict" | head -n 20 >&2
    return 1
  fi
  if grep -q "HOPS UNKNOWN" "$dir/opensm.fdbs"; then
    echo "opensm.fdbs says HOPS UNKNOWN" >&2
    return 1
  fi
  [[ -x $espalier ]] || return 0
  discover "$dir/discovered" || return 1
  "$espalier" verify "$dir/discovered" "$dir/opensm-lfts.dump"
}

# discover FILE: the fabric as ibnetdiscover sees it now, with LIDs.
discover() { as_host "${sm_host:-$(first_host)}" ibnetdiscover >"$1" 2>"$run_dir/discover.err"; }

# sweep_after COMMAND ...: does something to the fabric or to OpenSM, waits until the subnet is up again and until no
# further sweep follows (a switch that goes makes several neighbors send traps). Some traps are lost in ibsim, and OpenSM
# ignores those that come too often: after ten seconds a sweep is forced.
sweep_after() {
  mark_log
  "$@"
  for _ in $(seq 100); do
    in_log "SUBNET UP" && break
    sleep 0.1
  done
  in_log "SUBNET UP" || kill -HUP "$sm_pid"
  wait_log "SUBNET UP" 60
  settle
}
settle() {
  until is_quiet 0.6; do :; done
}

# resweep: a heavy sweep without any reason (SIGHUP).
resweep() { sweep_after kill -HUP "$sm_pid"; }

# has_head_start ENGINE LINE ...: starts OpenSM, until its first run had a head start, which the log calls $ahead. On a busy
# machine the answers of ports may come too soon.
ahead="tables were made and verified while OpenSM waited"
has_head_start() {
  for attempt in 1 2 3 4 5 6; do
    sm_name=$1-$attempt
    start_opensm "routing_engine $1 no_fallback" "reassign_lids TRUE" "max_wire_smps 1" "${@:2}"
    wait_routed
    in_log "$ahead" && return
    stop "$sm_pid"
  done
  return 1
}

# pause_after COMMAND [THEN ...]: COMMAND is for the simulator. When OpenSM has discovered what came of it, it pauses
# (pause_plugin.cc; ESPALIER_PAUSE is set), and routes when THEN has run.
pause_after() {
  touch "$ESPALIER_PAUSE"
  mark_log
  ibsim_cmd "$1"
  sleep 0.1
  kill -HUP "$sm_pid" # for the case that the trap is lost
  sleep 2 # the discovery of 16 switches takes a tenth of a second
  "${@:2}"
  rm "$ESPALIER_PAUSE"
  wait_log "SUBNET UP" 60
  settle
}

# lid_of NODE, of the last sweep.
lid_of() {
  local hex
  hex=$(sed -n "s/^{[^}]*{$1} LID:\([0-9A-F]*\).*/\1/p" "$run_dir/$sm_name/opensm-subnet.lst" | head -n 1)
  echo $((16#$hex))
}

# has_path FROM TO: the SA has a path record from one host to the other.
has_path() { as_host "$1" saquery --src-to-dst "$(lid_of "$1"):$(lid_of "$2")" 2>/dev/null | grep -q PathRecord; }

# joined, left HOST MGID: the host is now a member of the group, or no more.
joined() { as_host "$1" "$ESPALIER_BUILD/mcast_member" join "$2" >/dev/null; }
left() { as_host "$1" "$ESPALIER_BUILD/mcast_member" leave "$2" >/dev/null; }

# mcast_switches MLID: how many switches carry it, by the dumps of the last sweep.
mcast_switches() { grep -c "^$1 :" "$run_dir/$sm_name/opensm.mcfdbs" || true; }
