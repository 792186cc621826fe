#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# SIGHUP and the console's reroute call the engine again, which finds nothing to change. The console
# commands that read tables work; switchbalance calls spines unbalanced, since it counts entries that no packet uses.
source "$(dirname "$0")/common.sh" "$@"

# console COMMAND: OpenSM's console's answer. A line is sent after a prompt only: OpenSM reads and writes one stdio stream,
# and loses what it writes while a further line lies unread in the stream's buffer.
console() {
  local answer=""
  exec {socket}<>"/dev/tcp/127.0.0.1/$port"
  if to_prompt >/dev/null && printf '%s\n' "$1" >&"$socket"; then answer=$(to_prompt); fi
  printf 'quit\n' >&"$socket" || true
  timeout 30 cat <&"$socket" >/dev/null || true # until OpenSM has closed its end: it serves one connection at a time
  exec {socket}>&-
  printf '%s\n' "$answer"
}
to_prompt() { # what comes before the next prompt, "OpenSM $ "
  local text
  IFS= read -r -t 30 -d '$' -u "$socket" text && printf '%s' "$text"
}

console_says() { grep -q "$2" <<<"$(console "$1")"; }

port=$((20000 + $$ % 20000))
two_level 5 3 3 2 >"$run_dir/net"
start_ibsim "$run_dir/net"
start_opensm "routing_engine dmodc no_fallback" "console loopback" "console_port $port"
wait_log "SUBNET UP"
resweep
expect "dmodc after SIGHUP" in_log "espalier: dmodc: .* 0 entries changed in 0 blocks"

mark_log
console reroute >/dev/null
wait_log "espalier: dmodc: .* 0 entries changed in"
settle
judge
expect "the engine's name in the console" console_says status dmodc
expect "a port count of a spine" console_says switchbalance spine1
expect "a living OpenSM" kill -0 "$sm_pid"
