# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Functions that run the real OpenSM on a simulated fabric (ibsim); for run_opensm.sh, other scripts and
# tests/opensm/common.sh, which source it.
#
# Several runs on one machine do not meet: each has its own IBSIM_SOCKNAME. Only processes started here are ended here;
# they end with the script also where it is killed.

repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
: "${ESPALIER_BUILD:=$repo/build}" # where libespalier.so is
: "${log_flags:=0x43}"

opensm_program=$(PATH=$PATH:/usr/sbin command -v opensm || true)
umad2sim=$(compgen -G "/usr/lib*/*/umad2sim/libumad2sim.so" | head -n 1 || true)
started_pids=()

# new_run DIR: all files of what follows go to DIR, which is made for us alone, or is ours already: opensm.conf is written
# and read there.
new_run() {
  run_dir=$1
  (umask 077 && mkdir -p "$run_dir")
  if [[ -L $run_dir || ! -O $run_dir ]]; then
    echo "$run_dir is a link or belongs to somebody else" >&2
    return 1
  fi
  export IBSIM_SOCKNAME=espalier-$$-$RANDOM$RANDOM
}

# bound COMMAND ...: becomes the command, which is killed when this script ends, and does not start where it ended before
# that was arranged. To be called in the background.
bound() {
  # shellcheck disable=SC2016
  exec setpriv --pdeathsig KILL sh -c '[ "$PPID" = "$0" ] && exec "$@"' $$ "$@"
}

# start_ibsim FILE: a simulator of its own; FILE may be in the dialect of ibnetdiscover or of ibsim.
start_ibsim() {
  net_file=$1
  local counts
  counts=$(awk '/^[[:space:]]*(Switch|Hca|Ca|Rt)[[:space:]]/ { nodes++; ports += $2 + 1; if ($1 == "Switch") switches++ }
                END { printf "-N %d -S %d -P %d", nodes + 64, switches + 64, ports + 4096 }' "$net_file")
  rm -f "$run_dir/ibsim.in"
  mkfifo "$run_dir/ibsim.in"
  exec {ibsim_in}<>"$run_dir/ibsim.in"
  : >"$run_dir/ibsim.log"
  # shellcheck disable=SC2086
  bound ibsim -s $counts "$net_file" <&"$ibsim_in" >"$run_dir/ibsim.log" 2>&1 &
  ibsim_pid=$!
  started_pids+=("$ibsim_pid")
  wait_for "ibsim" 30 ibsim_is_up
  if ! kill -0 "$ibsim_pid" 2>/dev/null; then
    tail -n 5 "$run_dir/ibsim.log" >&2
    return 1
  fi
}
ibsim_is_up() { grep -q "^sim>" "$run_dir/ibsim.log" || ! kill -0 "$ibsim_pid" 2>/dev/null; }

# ibsim_cmd 'Unlink "S-1"[3]': a line for the simulator's console.
ibsim_cmd() { printf '%s\n' "$1" >&"$ibsim_in"; }

# first_host: the CA from which the SM and the clients run by default: the first that is cabled to a switch.
first_host() {
  awk -F '"' 'NR == FNR { if (/^[ \t]*Switch[ \t]/) switches[$2]; next }
    /^[ \t]*[A-Z]/ { host = /^[ \t]*(Hca|Ca)[ \t]/ ? $2 : "" }
    host != "" && first == "" { first = host }
    host != "" && /^[ \t]*\[/ && $2 in switches { first = host; exit }
    END { print first }' "$net_file" "$net_file"
}
# first_leaf: the switch that it hangs on.
first_leaf() {
  awk -v host="\"$(first_host)\"" '/^Switch/ { match($0, /"[^"]*"/); s = substr($0, RSTART + 1, RLENGTH - 2) }
    /^\[/ && index($0, host) { print s; exit }' "$net_file"
}

# switch_cables: both ends of each cable between switches, as ibsim's console names them: "S-1"[3].
switch_cables() {
  awk '/^Switch/ { match($0, /"[^"]*"/); s = substr($0, RSTART, RLENGTH) }
    /^\[[0-9]*\][ \t]*"S-/ { match($0, /^\[[0-9]*\]/); print s substr($0, RSTART, RLENGTH) }' "$net_file"
}

# as_host HOST COMMAND ...: runs a client of the simulator on that CA, for at most 60 s.
as_host() {
  local host=$1
  shift
  (cd "$run_dir" && SIM_HOST=$host LD_PRELOAD=$umad2sim timeout -s KILL 60 "$@")
}

# start_opensm [LINE ...]: OpenSM on $sm_host (default: first_host) with these lines in opensm.conf. Variables that the
# caller may set: sm_name (default sm; names the log and the directories), log_flags.
start_opensm() {
  sm_name=${sm_name:-sm}
  local dir=$run_dir/$sm_name
  mkdir -p "$dir/cache"
  sm_log=$dir/opensm.log
  {
    printf '%s\n' "log_file $sm_log" "dump_files_dir $dir" "log_flags $log_flags" "force_log_flush TRUE" \
      "event_plugin_name espalier" "max_wire_smps 16" "sweep_interval 0" "console off" "exit_on_fatal FALSE" \
      "partition_config_file $dir/partitions.conf"
    printf '%s\n' "$@"
  } >"$dir/opensm.conf"
  : >"$sm_log"
  log_mark=1
  # A plugin that was built with AddressSanitizer needs its runtime before everything else.
  local sanitizer
  sanitizer=$(ldd "$ESPALIER_BUILD/libespalier.so" 2>/dev/null | awk '/libasan/ { print $3 }')
  # Not ours: umad2sim copies 320 bytes out of 288 on each read(); osm_vendor_send() hands a MAD to umad_send() that the
  # receiving thread may have freed with the answer.
  [[ -z $sanitizer ]] || printf 'interceptor_via_lib:%s\n' umad2sim libosmvendor >"$dir/suppressions"
  sm_started=$(date +%s.%N)
  (cd "$dir" && bound env SIM_HOST="${sm_host:-$(first_host)}" OSM_CACHE_DIR="$dir/cache" OSM_TMP_DIR="$dir" \
    LD_LIBRARY_PATH="$ESPALIER_BUILD${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" LD_PRELOAD="${sanitizer:+$sanitizer:}$umad2sim" \
    ASAN_OPTIONS="${ASAN_OPTIONS:-detect_leaks=0:replace_intrin=0:suppressions=$dir/suppressions}" \
    "$opensm_program" -F "$dir/opensm.conf" -e) >"$dir/opensm.out" 2>&1 &
  sm_pid=$!
  started_pids+=("$sm_pid")
}

# wait_for WHAT SECONDS COMMAND ...: until the command succeeds.
wait_for() {
  local what=$1 deadline=$((SECONDS + $2))
  shift 2
  until "$@"; do
    if ((SECONDS >= deadline)); then
      echo "waited in vain for $what: $*" >&2
      return 1
    fi
    sleep 0.1
  done
}

# mark_log, wait_log PATTERN [SECONDS]: waits for a line after the last mark, or after the last start.
mark_log() { log_mark=$(($(wc -l <"$sm_log") + 1)); }
log_since_mark() { tail -n +"${log_mark:-1}" "$sm_log"; }
in_log() { log_since_mark | grep -e "$1" >/dev/null; } # not -q: tail would die of SIGPIPE
wait_log() { wait_for "a log line" "${2:-60}" in_log "$1"; }
# wait_routed [SECONDS]: until OpenSM has routed, or found no engine that can.
wait_routed() { wait_log "SUBNET UP\|No routing engine able" "$@"; }

# is_quiet [SECONDS]: OpenSM logs nothing for so long (default 1): no sweep is going on, and none follows at once.
is_quiet() {
  local before
  before=$(wc -c <"$sm_log")
  sleep "${1:-1}"
  [[ $before == "$(wc -c <"$sm_log")" ]]
}

# Resident memory of the running OpenSM in kB: now, and at its peak.
rss_kb() { awk '/^VmRSS/ { print $2 }' "/proc/$sm_pid/status"; }
peak_kb() { awk '/^VmHWM/ { print $2 }' "/proc/$sm_pid/status"; }

# stop PID: an orderly end, by force after 10 s (an OpenSM whose simulator is gone ignores SIGTERM).
stop() {
  kill -TERM "$1" 2>/dev/null || true
  for _ in $(seq 100); do
    kill -0 "$1" 2>/dev/null || break
    sleep 0.1
  done
  kill -KILL "$1" 2>/dev/null || true
  wait "$1" 2>/dev/null || true
}

# Ends what was started, the last first: OpenSM before its simulator.
stop_all() {
  local i
  for ((i = ${#started_pids[@]} - 1; i >= 0; --i)); do stop "${started_pids[i]}"; done
  started_pids=()
}
