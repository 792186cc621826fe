#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# When the only engine declines and no_fallback is set, nothing is routed; a repaired file brings the subnet up.
source "$(dirname "$0")/common.sh" "$@"

two_level 4 2 3 >"$run_dir/net"
options=$run_dir/espalier.conf
echo "hop_tables perhaps" >"$options"
start_ibsim "$run_dir/net"
start_opensm "routing_engine dmodc no_fallback" "event_plugin_options $options"
wait_log "No routing engine able to successfully configure"
expect "the reason" in_log "$options:1: hop_tables must be auto, all or none"
expect_not "a subnet" in_log "SUBNET UP"

echo "hop_tables all" >"$options"
resweep
expect "dmodc" in_log "dmodc tables configured on all switches"
judge
