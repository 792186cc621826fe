#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# SIGHUP and the console's reroute call the engine again, which finds nothing to change. The console
# commands that read tables work; switchbalance calls spines unbalanced, since it counts entries that no packet uses.
source "$(dirname "$0")/common.sh" "$@"

console() { # a command for OpenSM's console; its answer
  exec {socket}<>"/dev/tcp/127.0.0.1/$port"
  printf '%s\nquit\n' "$1" >&"$socket"
  timeout 3 cat <&"$socket" || true
  exec {socket}>&-
  sleep 0.2
}

console_says() { grep -q "$2" <<<"$(console "$1")"; } # it serves one connection at a time, so that this may need a second try

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
wait_for "the engine's name in the console" 30 console_says status dmodc
wait_for "a port count of a spine" 30 console_says switchbalance spine1
expect "a living OpenSM" kill -0 "$sm_pid"
