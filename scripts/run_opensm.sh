#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Runs the real OpenSM with the plugin on a simulated fabric (ibsim), once, and keeps what it wrote.
#
#   scripts/run_opensm.sh [OPTION ...] FILE.net
#     -e, --engines "A,B"   routing_engine; default "dmodc no_fallback"
#     -o, --option "K V"    a line for opensm.conf; may be repeated
#     -p, --plugins "A B"   event_plugin_name; default espalier ("" for none)
#     -b, --build DIR       where libespalier.so is; default build
#     -d, --out DIR         keep opensm-lfts.dump, opensm.fdbs, opensm-subnet.lst, opensm.log there; default a new one
#     -f, --flags HEX       log flags; default 0x43 (errors, info, dumps); 0x03 runs without dumps and hop tables
#     -t, --timeout S       seconds until the subnet has to be up; default 120
# Prints the plugin's log lines, the time until SUBNET UP, OpenSM's peak memory, and where the files are. Exit status 0:
# the subnet is up. Several runs on one machine do not meet. With ESPALIER_PROBE_LFTS in the environment
# (plugin/probe/probe.cc) the run lasts until that file is there.
set -u
# shellcheck source=scripts/opensm_on_ibsim.sh
source "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/opensm_on_ibsim.sh" || exit

run_once() {
  local engines="dmodc no_fallback" plugins=espalier out="" seconds=120 lines=()
  while (($# > 1)); do
    case $1 in
      -e | --engines) engines=$2 ;;
      -o | --option) lines+=("$2") ;;
      -p | --plugins) plugins=$2 ;;
      -b | --build) ESPALIER_BUILD=$(cd "$2" && pwd) ;;
      -d | --out) out=$2 ;;
      -f | --flags) log_flags=$2 ;;
      -t | --timeout) seconds=$2 ;;
      *) echo "$0: there is no option $1" >&2 && return 2 ;;
    esac
    shift 2
  done
  [[ $# == 1 && -r $1 ]] || { sed -n '3,${/^#/!q;s/^# \{0,1\}//;p}' "$0" >&2 && return 2; }
  new_run "${out:-$(mktemp -d -t espalier-run-XXXXXX)}" || return 1
  run_dir=$(cd "$run_dir" && pwd)
  trap stop_all EXIT
  sm_name=.
  start_ibsim "$1" || return 1
  start_opensm "event_plugin_name $plugins" "routing_engine $engines" "${lines[@]}"
  local status=0
  wait_routed "$seconds" || status=1
  in_log "SUBNET UP" || status=1
  local note=
  if in_log "cannot load plugin"; then
    status=1
    note=", OpenSM could not load a plugin of \"$plugins\": is $(realpath -m "$ESPALIER_BUILD")/lib${plugins##* }.so built?"
  elif ((status == 0)) && [[ -n ${ESPALIER_PROBE_LFTS-} ]]; then
    wait_for "the tables" "$seconds" test -e "$ESPALIER_PROBE_LFTS" || status=1
  fi
  grep -e "espalier" -e " ERR " -e "tables configured" "$sm_log" | sed 's/^.*-> //' || true
  local ended
  ended=$(date +%s.%N)
  echo "subnet $( ((status == 0)) && echo up || echo "NOT up") after $(awk "BEGIN { printf \"%.1f\", $ended - $sm_started }") s," \
    "peak memory $(peak_kb) kB, files in $run_dir$note"
  return $status
}

run_once "$@"
