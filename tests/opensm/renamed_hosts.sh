#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Hosts are numbered by their names, which change: a host that comes back with another name or with its vendor's default
# one, an adapter that was exchanged, two hosts whose cables were exchanged. No entry of any other host changes, and none
# of the host itself as long as it has its LID and its place.
source "$(dirname "$0")/common.sh" "$@"

default_name="MT4123 ConnectX6 Mellanox Technologies"

# Names run across the leaves, so that numbers by name are not those by place. The spare adapters have no cables.
net() {
  two_level 8 4 5 | sed -E 's/"host([0-9])\.([0-9])"/"node\2\1"/g'
  printf 'Ca 1 "%s"\n\n' "aaa-renamed" "zzz-renamed" "$default_name" "new-adapter"
}
net >"$run_dir/net"

guid_of() { sed -n "s/^{ CA [^}]*NodeGUID:\([0-9A-Fa-f]*\)[^}]*{$1} .*/\1/p" "$run_dir/sm/opensm-subnet.lst" | head -n 1; }
port_guid_of() { sed -n "s/^{ CA [^}]*PortGUID:\([0-9A-Fa-f]*\)[^}]*{$1} .*/\1/p" "$run_dir/sm/opensm-subnet.lst" | head -n 1; }

# entries FILE LID ...: what the tables say of all other LIDs.
entries() {
  local file=$1 but=""
  shift
  (($# == 0)) || but=$(printf '0x%04x ' "$@")
  awk -v but="$but" 'BEGIN { n = split(but, list, " "); for (i = 1; i <= n; ++i) left_out[list[i]] = 1 }
    /^Unicast/ { s = $0; sub(/.*guid /, "", s); sub(/ .*/, "", s) }
    /^0x/ && !($1 in left_out) { print s, $1, $2 }' "$file" | sort
}
lfts=$run_dir/sm/opensm-lfts.dump
same_but() { # same_but WHAT LID ...
  local what=$1
  shift
  entries "$run_dir/first.lfts" "$@" >"$run_dir/before"
  entries "$lfts" "$@" >"$run_dir/now"
  expect "entries of 12 switches" test "$(wc -l <"$run_dir/before")" -ge $((12 * (52 - $#)))
  expect "$what changes no entry of others" cmp "$run_dir/before" "$run_dir/now"
}

# comes_back HOST AS PLACE: what hangs at PLACE, HOST until now, has its GUIDs and the name AS; and back again.
comes_back_as() {
  local host=$1 as=$2 place=$3 lid guid port_guid
  lid=$(lid_of "$host") guid=$(guid_of "$host") port_guid=$(port_guid_of "$host")
  sweep_after ibsim_cmd "Unlink \"$host\""
  same_but "a reboot of $host" "$lid"
  ibsim_cmd "Guid \"$as\" 0x$guid"
  ibsim_cmd "Guid \"$as\"[1] 0x$port_guid"
  sweep_after ibsim_cmd "Link \"$as\"[1] $place"
  expect "$host is called $as now" test "$(lid_of "$as")" = "$lid"
  same_but "$host as $as, with its own entries,"
  judge
  sweep_after ibsim_cmd "Unlink \"$as\""
  sweep_after ibsim_cmd "Link \"$host\"[1] $place"
  same_but "$host with its old name, with its own entries,"
}

check_engine() { # check_engine ENGINE
  start_ibsim "$run_dir/net"
  printf '%s\n' "balance_ms 300" "rebalance_quiet_seconds 100000" >"$run_dir/conf"
  start_opensm "routing_engine $1 no_fallback" "event_plugin_options $run_dir/conf"
  wait_log "SUBNET UP"
  # Tables that are searched for outside of the lock come in later, and change entries for a reason of their own.
  [[ $1 != balanced ]] || wait_log "balanced: rebalance: the new tables" 60
  settle
  expect "numbers by name" in_log "hosts are numbered by names"
  cp "$lfts" "$run_dir/first.lfts"

  comes_back_as node13 aaa-renamed '"leaf3"[1]'
  comes_back_as node24 "$default_name" '"leaf4"[2]'

  # Another adapter in the same place has another GUID, and so another LID.
  local old_lid
  old_lid=$(lid_of node32)
  sweep_after ibsim_cmd 'Unlink "node32"'
  sweep_after ibsim_cmd 'Link "new-adapter"[1] "leaf2"[3]'
  expect "another LID" test "$(lid_of new-adapter)" != "$old_lid"
  same_but "an exchanged adapter" "$old_lid" "$(lid_of new-adapter)"
  judge

  # Two hosts with each other's cables.
  local a b
  a=$(lid_of node21) b=$(lid_of node45)
  ibsim_cmd 'Unlink "node21"'
  ibsim_cmd 'Unlink "node45"'
  ibsim_cmd 'Link "node21"[1] "leaf5"[4]'
  sweep_after ibsim_cmd 'Link "node45"[1] "leaf1"[2]'
  same_but "an exchange of two hosts" "$old_lid" "$(lid_of new-adapter)" "$a" "$b"
  judge
  stop_all
  rm -r "$run_dir/sm"
}

for engine in dmodc balanced; do check_engine $engine; done
