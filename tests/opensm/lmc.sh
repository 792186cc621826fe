#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# LMC 0, 1 and 3, also for the enhanced port 0 of switches: all LIDs of a port are routed.
source "$(dirname "$0")/common.sh" "$@"

two_level 4 2 3 >"$run_dir/net"
start_ibsim "$run_dir/net"
for lmc in 0 1 3; do
  for esp0 in FALSE TRUE; do
    sm_name=lmc$lmc$esp0
    start_opensm "routing_engine dmodc no_fallback" "lmc $lmc" "lmc_esp0 $esp0" "reassign_lids TRUE"
    wait_log "SUBNET UP"
    expect "dmodc with LMC $lmc" in_log "dmodc tables configured on all switches"
    lids=$(last_summary | sed 's/.* end ports, \([0-9]*\) LIDs.*/\1/')
    expect "at least $((12 << lmc)) LIDs of CAs, not $lids" test "$lids" -ge $((6 + (12 << lmc)))
    judge
    stop "$sm_pid"
  done
done
