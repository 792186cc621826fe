#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# From the loss of a cable to the last table in the switches: each engine inside the unmodified OpenSM on ibsim.
#
#   scripts/reaction.sh [-e "balanced dmodc ftree minhop updn"] [-b BUILD] [-t SECONDS] FILE.net
#
# Per engine a Markdown row: milliseconds in the engine's callbacks at the first computation and after the loss, by the
# clock and of processors; from ibsim's Unlink (a cable between the first leaf and a spine) to the acknowledgment of the
# last block, which has OpenSM's discovery in it; blocks that were acknowledged; the engine that routed in the end (ftree
# declines most damaged fabrics). The clock is espalier_probe's (plugin/probe/probe.cc).
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=scripts/opensm_on_ibsim.sh
source "$here/opensm_on_ibsim.sh"
engines="balanced dmodc ftree minhop updn" limit=300
while getopts e:b:t: option; do
  case $option in
    e) engines=$OPTARG ;;
    b) ESPALIER_BUILD=$(cd "$OPTARG" && pwd) ;;
    t) limit=$OPTARG ;;
    *) sed -n '3,${/^#/!q;s/^# \{0,1\}//;p}' "$0" >&2 && exit 2 ;;
  esac
done
shift $((OPTIND - 1))
[[ $# == 1 && -r $1 ]] || { sed -n '3,${/^#/!q;s/^# \{0,1\}//;p}' "$0" >&2 && exit 2; }
net=$(realpath "$1")
trap 'stop_all >/dev/null 2>&1' EXIT

# A cable of the switch that the subnet manager's host hangs on, which sends its trap soonest.
cable() {
  awk -v sm="\"$(first_host)\"" '/^[A-Z]/ { match($0, /"[^"]*"/); s = substr($0, RSTART, RLENGTH); up = "" }
    /^\[[0-9]*\][ \t]*"S-/ { match($0, /^\[[0-9]*\]/); up = s substr($0, RSTART, RLENGTH) }
    /^\[/ && index($0, sm) { own = s }
    own != "" && own == s && up != "" { print up; exit }' "$net_file"
}

row() { # row ENGINE
  new_run "$(mktemp -d -t espalier-reaction-XXXXXX)" || return
  export ESPALIER_PROBE_TIMES=$run_dir/times ESPALIER_PROBE_UPLOADS=$run_dir/uploads
  start_ibsim "$net" || return
  log_flags=0x03
  start_opensm "event_plugin_name espalier espalier_probe" "routing_engine $1"
  wait_log "SUBNET UP" "$limit" && wait_for "quiet" "$limit" is_quiet 2
  [[ $1 != balanced ]] || { wait_log "rebalance:" "$limit" && wait_for "quiet" "$limit" is_quiet 2; }
  local cut_at before
  before=$(wc -l <"$ESPALIER_PROBE_UPLOADS")
  mark_log
  cut_at=$(date +%s.%N)
  ibsim_cmd "Unlink $(cable)"
  wait_log "SUBNET UP" "$limit" && wait_for "quiet" "$limit" is_quiet 2
  tail -n +$((before + 1)) "$ESPALIER_PROBE_UPLOADS" | awk -v engine="$1" -v cut="$cut_at" -v times="$ESPALIER_PROBE_TIMES" '
    { blocks += $1; if ($1 > 0) last = $2 }
    END {
      while ((getline line < times) > 0) {
        split(line, f, " ")
        if (f[4] == 0) { ms[++n] = f[2] + f[3]; cpu[n] = f[5]; who[n] = f[1] }
      }
      printf "| %s | %.0f (%.0f) | %.0f (%.0f) | %s | %d | %s |\n", engine, ms[1], cpu[1], ms[n], cpu[n],
        (blocks > 0 ? sprintf("%.2f", last - cut) : "none written"), blocks, who[n]
    }'
  stop_all >/dev/null 2>&1
  rm -rf "$run_dir"
}
echo "| engine | first callbacks, ms (processors) | after the loss, ms (processors) | s from Unlink to the last block | blocks | routed by |"
echo "|---|---|---|---|---|---|"
for engine in $engines; do row "$engine"; done
