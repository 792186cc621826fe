# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# What can happen to a fabric and its subnet manager; for soak.sh, which has ibsim running and $engine set.
#
# A link is "ID[PORT]" at both ends; state: up, down, or crossed (it goes to the other end of another crossed link).

# read_fabric FILE: link_a, link_b, link_kind (switch or host; the subnet manager's host is none of them), link_state,
# hosts.
read_fabric() {
  link_a=() link_b=() link_kind=() link_state=() hosts=() lossy=() crossed=()
  local a b kind
  while read -r a b kind; do
    link_a+=("$a") link_b+=("$b") link_kind+=("$kind") link_state+=("up")
    [[ $kind == host ]] && hosts+=("${b%%[*}")
  done < <(awk -v sm="$(first_host)" '
    function unquote(word) { gsub(/"/, "", word); return word }
    /^[ \t]*Switch/ { match($0, /"[^"]*"/); id = unquote(substr($0, RSTART, RLENGTH)); is_switch[id] = 1; at = id; next }
    /^[ \t]*(Ca|Hca|Rt)/ { at = ""; next }
    at != "" && /^[ \t]*\[[0-9]+\]/ {
      match($0, /\[[0-9]+\]/); port = substr($0, RSTART, RLENGTH)
      match($0, /"[^"]*"\[[0-9]+\]/); if (RSTART == 0) next
      peer = substr($0, RSTART + 1, RLENGTH - 1); sub(/"/, "", peer)
      from[++n] = at port; to[n] = peer
    }
    END {
      for (i = 1; i <= n; ++i) {
        other = to[i]; sub(/\[.*/, "", other)
        if (other == sm) continue
        if (!(other in is_switch)) print from[i], to[i], "host"
        else if (from[i] < to[i]) print from[i], to[i], "switch"
      }
    }' "$1")
}

# ends ID[PORT]: as ibsim wants it.
ends() { printf '"%s"[%s' "${1%%[*}" "${1#*[}"; }
unplug() { ibsim_cmd "Unlink $(ends "$1")"; }
plug() { ibsim_cmd "Link $(ends "$1") $(ends "$2")"; }

note() { printf '%s %s\n' "$event" "$1" >>"$run_dir/events"; }

# a_link KIND STATE: the number of a random one in $picked; fails when there is none.
a_link() {
  local i fit=()
  for i in "${!link_a[@]}"; do
    [[ (-z $1 || ${link_kind[i]} == "$1") && ${link_state[i]} == "$2" ]] && fit+=("$i")
  done
  ((${#fit[@]} > 0)) || return 1
  picked=${fit[RANDOM % ${#fit[@]}]}
}

take_down() { unplug "${link_a[$1]}" && link_state[$1]=down; }
bring_up() { plug "${link_a[$1]}" "${link_b[$1]}" && link_state[$1]=up; }

link_fails() { a_link switch up && note "down ${link_a[picked]}" && take_down "$picked"; }
link_returns() { a_link "" down && note "up ${link_a[picked]}" && bring_up "$picked"; }
host_fails() { a_link host up && note "down ${link_a[picked]}" && take_down "$picked"; }

# All links of the switch at one end of a random link, but for the subnet manager's own.
switch_fails() {
  a_link switch up || return
  local i node=${link_b[picked]%%[*}
  note "switch down $node"
  for i in "${!link_a[@]}"; do
    [[ ${link_state[i]} == up && (${link_a[i]%%[*} == "$node" || ${link_b[i]%%[*} == "$node") ]] && take_down "$i"
  done
}
all_return() {
  note "all up"
  local i
  for i in "${!link_a[@]}"; do [[ ${link_state[i]} == down ]] && bring_up "$i"; done
}

# Two links of one kind exchange their far ends.
cables_are_exchanged() {
  local kind=switch one
  ((RANDOM % 4 == 0)) && kind=host
  a_link $kind up || return
  one=$picked
  a_link $kind up && ((picked != one)) || return
  note "exchanged ${link_b[one]} ${link_b[picked]}"
  unplug "${link_a[one]}"
  unplug "${link_a[picked]}"
  plug "${link_a[one]}" "${link_b[picked]}"
  plug "${link_a[picked]}" "${link_b[one]}"
  link_state[one]=crossed link_state[picked]=crossed
  crossed+=("$one $picked")
}
cables_are_put_right() {
  ((${#crossed[@]} > 0)) || return
  local one two
  read -r one two <<<"${crossed[0]}"
  crossed=("${crossed[@]:1}")
  note "put right ${link_b[one]} ${link_b[two]}"
  unplug "${link_a[one]}"
  unplug "${link_a[two]}"
  bring_up "$one"
  bring_up "$two"
}

# A node loses a share of all packets, or of those with forwarding tables (25), port states (21) or switch states (18).
packets_are_lost() {
  a_link "" up || return
  local attributes=("" 25 25 21 18) node=${link_b[picked]%%[*}
  local loss="$((10 + RANDOM % 50)) ${attributes[RANDOM % 5]}"
  note "loss $node $loss"
  ibsim_cmd "Error \"$node\" $loss"
  lossy+=("$node")
}
end_losses() {
  local node
  for node in "${lossy[@]}"; do ibsim_cmd "Error \"$node\" 0"; done
  lossy=()
}

# Engines with virtual lanes decline without quality of service.
needs_lanes() { [[ $engine =~ ^(dragonfly.*|layers|dfsssp|lash)$ ]]; }
restart_sm() {
  [[ -e ${run_dir}/sm/opensm.out ]] && cat "$run_dir/sm/opensm.out" >>"$run_dir/sm/opensm.out.all"
  start_opensm "routing_engine $engine,no_fallback" "event_plugin_options $run_dir/espalier.conf" "max_wire_smps 16" \
    "sa_db_dump TRUE" "qos $(needs_lanes && echo TRUE || echo FALSE)"
}
manager_is_killed() {
  note "manager killed"
  kill -KILL "$sm_pid" 2>/dev/null
  wait "$sm_pid" 2>/dev/null
  ((RANDOM % 2)) && sleep 0.5
  restart_sm
}
# A SIGHUP that comes before OpenSM has set up its handlers ends it.
handles_hangup() { ((0x$(awk '/^SigCgt/ { print $2 }' "/proc/$sm_pid/status" 2>/dev/null || echo 1) & 1)); }
hang_up() {
  wait_for "OpenSM's signal handlers" 30 handles_hangup 2>/dev/null
  kill -HUP "$sm_pid" 2>/dev/null
}
a_sweep_is_asked_for() { note "SIGHUP" && hang_up; }

# Good lines, bad lines, no file.
write_conf() { printf '%s\n' "$@" >"$run_dir/espalier.conf.next" && mv "$run_dir/espalier.conf.next" "$run_dir/espalier.conf"; }
options_change() {
  local choice=$((RANDOM % 6))
  note "options $choice"
  case $choice in
    0) write_conf "seed $RANDOM" ;;
    1) write_conf "switch_paths updown" "threads 1" ;;
    2) write_conf "balance_ms $((RANDOM % 300))" "full_upload_every $((RANDOM % 3))" ;;
    3) write_conf "hop_tables all" "gxmodk_mode grouped" ;;
    4) write_conf "thredas 1" ;;
    5) write_conf "seed 1" ;;
  esac
  hang_up
  # Without a file that can be read the engine declines; quiet points want its tables.
  ((choice == 4)) && sleep 0.3 && write_conf "seed 1"
}

# A client waits for the subnet manager; not longer than an event should take.
member() {
  ((${#hosts[@]} > 0)) || return
  local host=${hosts[RANDOM % ${#hosts[@]}]} group="ff15:a01b:fe80::1:$((1 + RANDOM % 3))"
  note "$1 $host $group"
  (cd "$run_dir" && SIM_HOST=$host LD_PRELOAD=$umad2sim timeout -s KILL 3 "$ESPALIER_BUILD/mcast_member" "$1" "$group") \
    >/dev/null 2>&1
}

random_event() {
  case $((RANDOM % 20)) in
    0 | 1 | 2) link_fails ;;
    3 | 4 | 5) link_returns ;;
    6) host_fails ;;
    7) switch_fails ;;
    8) all_return ;;
    9 | 10) cables_are_exchanged ;;
    11 | 12) cables_are_put_right ;;
    13 | 14) packets_are_lost ;;
    15) manager_is_killed ;;
    16) a_sweep_is_asked_for ;;
    17) options_change ;;
    18) member join ;;
    19) member "$( ((RANDOM % 3)) && echo join || echo leave)" ;;
  esac
  return 0
}
