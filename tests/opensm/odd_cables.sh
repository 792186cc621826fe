#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# What real fabrics have and trees have not: a host with two ports on two leaves, a cable from a switch to itself, a
# cable between two leaves, a host on a spine, a port of a CA that hangs on nothing.
source "$(dirname "$0")/common.sh" "$@"

cat >"$run_dir/net" <<'END'
Ca 2 "sm"
[1] "leaf1"[1]

Ca 2 "two"
[1] "leaf1"[2]
[2] "leaf2"[1]

Ca 1 "high"
[1] "spine"[4]

Ca 1 "plain"
[1] "leaf3"[1]

Switch 8 "leaf1"
[1] "sm"[1]
[2] "two"[1]
[3] "spine"[1]
[4] "leaf1"[5]
[5] "leaf1"[4]
[6] "leaf2"[6]

Switch 8 "leaf2"
[1] "two"[2]
[3] "spine"[2]
[6] "leaf1"[6]

Switch 8 "leaf3"
[1] "plain"[1]
[3] "spine"[3]

Switch 8 "spine"
[1] "leaf1"[3]
[2] "leaf2"[3]
[3] "leaf3"[3]
[4] "high"[1]
END
start_ibsim "$run_dir/net"
start_opensm "routing_engine dmodc no_fallback"
wait_log "SUBNET UP"
expect "dmodc" in_log "dmodc tables configured on all switches"
expect "5 end ports: $(last_summary)" grep -q "4 switches, . leaves, 5 end ports, 9 LIDs" <<<"$(last_summary)"
expect "the irregularities are listed" in_log "0x04 -> espalier: .*link: "
judge

# The list is not repeated while nothing changes.
resweep
expect_not "a second list" in_log "0x04 -> espalier: .*link: "
expect "a summary" in_log "espalier: dmodc: .* 0 entries changed"
group=ff12:401b:ffff::ffff:ffff
for host in two high plain; do expect "$host joins" joined "$host" "$group"; done
resweep
judge
