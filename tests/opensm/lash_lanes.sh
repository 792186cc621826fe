#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# How many lanes OpenSM's lash takes on the fat trees of Bogdanski et al. 2012, 7.2.3: 1 on 648 ports, 6 on 3 456 (with
# CAMPAIGN; 400 s in the paper). For the third, JuRoPA with 8, the paper gives no cabling. Our engines for trees take one.
# The 6 takes OpenSM more than 1 700 s on two cores that others use as well, so ctest runs the 648 ports alone;
# tests/golden/lash_lanes_test.cc counts it with the same paths in the same order.
source "$(dirname "$0")/common.sh" "$@"
log_flags=0x03

# lanes_of SPEC ... : the fabric of `espalier generate SPEC ...`, routed by lash.
lanes_of() {
  "$espalier" generate "$@" -o "$run_dir/net"
  start_ibsim "$run_dir/net"
  sm_name=lash
  start_opensm "routing_engine lash" "lash_start_vl 0"
  wait_log "SUBNET UP" "${LASH_SECONDS:-60}"
  lanes=$(sed -n 's/.*Lanes needed: \([0-9]*\).*/\1/p' "$sm_log" | head -n 1)
  stop "$sm_pid"
  stop "$ibsim_pid"
  rm -rf "$run_dir/lash"
  echo "lash on $*: $lanes"
}

lanes_of mport 36,2
expect "one lane on 648 ports" [ "$lanes" = 1 ]

if [[ -n ${CAMPAIGN:-} ]]; then
  LASH_SECONDS=3000
  lanes_of mport 24,3
  expect "as many lanes on 3 456 ports as were published" [ "$lanes" = 6 ]
fi
