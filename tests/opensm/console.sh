#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Commands of OpenSM's console. After `reroute` with other roots the multicast trees are those of the new tables, as after a
# sweep; without a change it remains a reroute.
source "$(dirname "$0")/common.sh" "$@"

port=$((20000 + $$ % 20000))
console() {
  exec {console}<>"/dev/tcp/127.0.0.1/$port"
  printf '%s\n' "$@" >&"$console"
  timeout 1 cat <&"$console" || true
  exec {console}>&-
}
multicast_tables() { as_host "$(first_host)" dump_fts -M 2>/dev/null | grep "^Multicast mlids\|^0xc0"; }

two_level 4 2 3 >"$run_dir/net"
: >"$run_dir/espalier.conf"
start_ibsim "$run_dir/net"
start_opensm "routing_engine dmodc no_fallback" "event_plugin_options $run_dir/espalier.conf" "console loopback" "console_port $port"
wait_log "SUBNET UP"
for host in host1.2 host2.1 host3.2 host4.1; do expect "$host joins" joined $host ff15:a01b:fe80::1:1; done
settle
multicast_tables >"$run_dir/before"
expect "a tree" grep -q "^0xc0" "$run_dir/before"

expect "an engine of ours in the console's status" grep -qi "routing engine *: dmodc" <<<"$(console status)"
mark_log
console reroute >/dev/null
wait_log "dmodc tables configured"
settle
expect_not "a sweep where nothing has changed" in_log "SUBNET UP"

echo 'root name ^leaf1$' >"$run_dir/espalier.conf"
mark_log
console reroute >/dev/null
wait_log "reroute has changed tables, but no multicast tree: OpenSM is asked to sweep"
wait_log "SUBNET UP"
settle
multicast_tables >"$run_dir/after"
resweep
multicast_tables >"$run_dir/swept"
expect_not "the tree of the old roots" cmp -s "$run_dir/before" "$run_dir/after"
expect "the tree of the new roots" cmp "$run_dir/swept" "$run_dir/after"
judge
