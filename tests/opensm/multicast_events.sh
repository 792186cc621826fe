#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Hosts join and leave multicast groups while links and switches fail and come back. The switches' tables are read back:
# each member's packets reach every other member once, and none circles.
source "$(dirname "$0")/common.sh" "$@"

group=ff15:a01b:fe80::1:
two_level 5 3 2 >"$run_dir/net"
start_ibsim "$run_dir/net"
start_opensm "routing_engine balanced no_fallback" "sa_db_dump TRUE"
wait_log "SUBNET UP"

reaches_all() {
  discover "$run_dir/discovered"
  as_host "$(first_host)" dump_fts -M >"$run_dir/mfts" 2>/dev/null
  resweep # for the dump of the members
  python3 "$test_dir/../../scripts/check_multicast.py" "$run_dir/discovered" "$run_dir/mfts" "$run_dir/sm/opensm-sa.dump"
}
# meanwhile EVENT COMMAND ...: does it while OpenSM is busy with the event; the SA may need a second question then.
meanwhile() {
  mark_log
  ibsim_cmd "$1"
  shift
  wait_for "the client" 20 "$@"
  wait_log "SUBNET UP" 60
  settle
}

for host in host1.2 host2.1 host3.2 host4.1; do expect "$host joins" joined $host ${group}1; done
for host in host1.2 host5.1; do expect "$host joins" joined $host ${group}2; done
expect "six members" grep -q "6 members, all reached once" <<<"$(reaches_all)"

meanwhile 'Unlink "spine1"' joined host5.2 ${group}1
reaches_all
meanwhile 'Relink "spine1"' left host3.2 ${group}1
reaches_all
meanwhile 'Unlink "leaf2"' joined host4.2 ${group}2
reaches_all
meanwhile 'Relink "leaf2"' joined host3.1 ${group}2
resweep
expect "host2.1 joins again" joined host2.1 ${group}1
reaches_all
for step in 'Unlink "leaf1"[3]' 'Unlink "leaf4"[4]' 'Relink "leaf1"[3]' 'Unlink "spine3"' 'Relink "leaf4"[4]' 'Relink "spine3"'; do
  meanwhile "$step" joined "host$((1 + RANDOM % 5)).2" "${group}$((1 + RANDOM % 2))"
  reaches_all
done
# A subnet manager that starts anew knows of no group, and the switches still hold those of its predecessor.
entries() {
  as_host "$(first_host)" dump_fts -M >"$run_dir/mfts" 2>/dev/null
  grep -c "^0xc001" "$run_dir/mfts"
}
expect "entries of the first manager" test "$(entries)" -gt 1
kill -KILL "$sm_pid"
wait "$sm_pid" 2>/dev/null || true
start_opensm "routing_engine balanced no_fallback" "sa_db_dump TRUE"
wait_log "SUBNET UP"
settle
mark_log
wait_for "host2.1, the only member" 20 joined host2.1 ${group}1
settle
expect "no entry is left" test "$(entries || true)" -eq 0
expect_not "an error of ours" grep -q "0x01 -> espalier" "$sm_log"
