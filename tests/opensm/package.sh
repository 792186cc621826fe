#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# What an administrator does: installs the package, pastes the lines of README.md into opensm.conf, starts OpenSM. Asks
# OpenSM who routed. The package goes into a root of its own, where nothing of ours was before.
source "$(dirname "$0")/common.sh" "$@"
command -v dpkg-shlibdeps >/dev/null || { echo "skipped: there is no dpkg-shlibdeps (package dpkg-dev)"; exit 77; }

top_dir=$run_dir
root=$top_dir/root
(cd "$top_dir" && cpack -G DEB --config "$ESPALIER_BUILD/CPackConfig.cmake" -B "$top_dir/package") >"$top_dir/cpack.log" 2>&1
package=$(compgen -G "$top_dir/package/*.deb")
dpkg-deb --extract "$package" "$root"
dpkg-deb --control "$package" "$top_dir/control"
expect "a conffile" grep -qx "/etc/opensm/espalier.conf" "$top_dir/control/conffiles"
expect "every option, with its default" cmp "$root/etc/opensm/espalier.conf" "$test_dir/../../conf/espalier.conf.example"

# The block of the README that loads the plugin, as it stands, but for the root.
mapfile -t lines < <(awk '/^```/ { if (block ~ /event_plugin_name espalier/) { printf "%s", block; exit } block = ""; next }
                          { block = block $0 "\n" }' "$test_dir/../../README.md" | sed "s#/etc/opensm#$root/etc/opensm#")
expect "the lines of README.md" test "${#lines[@]}" -ge 3
engine=$(printf '%s\n' "${lines[@]}" | sed -n 's/^routing_engine[[:space:]]*\([a-z0-9-]*\).*/\1/p')

two_level 4 2 3 >"$top_dir/net"
ESPALIER_BUILD=$(dirname "$(find "$root" -name libespalier.so)")
start_ibsim "$top_dir/net"
start_opensm "${lines[@]}"
wait_log "SUBNET UP"
expect "$engine, the first engine of README.md" in_log "osm_ucast_mgr_process: $engine tables configured on all switches"
expect_not "an error of ours" in_log "0x01 -> espalier"

# The plugin and the command of the package belong together.
"$root/usr/bin/espalier" --version | grep -q "^espalier "
stop_all

# The same without the file, as after a build from source: the defaults.
if [[ ! -e /etc/opensm/espalier.conf ]]; then
  new_run "$top_dir/without"
  start_ibsim "$top_dir/net"
  start_opensm "event_plugin_options /etc/opensm/espalier.conf" "routing_engine $engine,no_fallback"
  wait_log "SUBNET UP"
  expect "the defaults" in_log "osm_ucast_mgr_process: $engine tables configured on all switches"
fi
