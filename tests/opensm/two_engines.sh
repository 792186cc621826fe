#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# All names are known to OpenSM, in any order and with any separator; the first one routes. The console names it.
source "$(dirname "$0")/common.sh" "$@"

two_level 4 2 3 >"$run_dir/net"
start_ibsim "$run_dir/net"
number=0
for engines in "dmodc,updn" "dmodc updn" "updn, dmodc" "dmodc dmodc"; do
  sm_name=sm$((++number))
  start_opensm "routing_engine $engines"
  wait_log "SUBNET UP"
  first=${engines%%[, ]*}
  expect "$first for \"$engines\"" in_log "$first tables configured on all switches"
  expect_not "an engine that could not be set up" in_log "Failed to setup"
  stop "$sm_pid"
done
