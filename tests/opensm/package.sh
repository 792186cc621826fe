#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# What an administrator does: installs the packages, pastes the lines of README.md into opensm.conf, starts OpenSM. Asks
# OpenSM who routed. The packages go into a root of their own, where nothing of ours was before.
source "$(dirname "$0")/common.sh" "$@"
command -v dpkg-shlibdeps >/dev/null || { echo "skipped: there is no dpkg-shlibdeps (package dpkg-dev)"; exit 77; }

root=$top_dir/root
built=$ESPALIER_BUILD
(cd "$top_dir" && cpack -G DEB --config "$built/CPackConfig.cmake" -B "$top_dir/package") >"$top_dir/cpack.log" 2>&1
package_of() { compgen -G "$top_dir/package/$1_*.deb"; }
field() { dpkg-deb --field "$(package_of "$1")" "$2"; }
for name in espalier espalier-plugin espalier-models; do
  expect "a package $name" package_of "$name" >/dev/null
  dpkg-deb --extract "$(package_of "$name")" "$top_dir/$name"
  dpkg-deb --extract "$(package_of "$name")" "$root"
done
dpkg-deb --control "$(package_of espalier-plugin)" "$top_dir/control"
expect "a conffile" grep -qx "/etc/opensm/espalier.conf" "$top_dir/control/conffiles"
expect "ldconfig when it is installed" grep -q ldconfig "$top_dir/control/triggers"
expect "every option, with its default" cmp "$root/etc/opensm/espalier.conf" "$test_dir/../../conf/espalier.conf.example"
expect "manual pages" test -s "$root/usr/share/man/man1/espalier-route.1" -a -s "$root/usr/share/man/man1/espalier-simulate.1"
while read -r page; do
  expect "$page, to which README.md links" test -s "$root/usr/share/doc/espalier/$page"
done < <(grep -o '](docs/[a-z-]*\.md)' "$test_dir/../../README.md" | tr -d ']()' | sort -u)
expect "what compare runs OpenSM by" test -x "$root/usr/share/espalier/run_opensm.sh" -a -s "$root/usr/share/espalier/opensm_on_ibsim.sh"
expect "completion" bash -n "$root/usr/share/bash-completion/completions/espalier"

# Exactly this OpenSM, and no more libraries than each part needs.
release=$(opensm --version 2>/dev/null | sed -n 's/^OpenSM \([0-9.]*\).*/\1/p' | head -n 1)
expect "opensm $release" grep -qF "opensm (>= $release), opensm (<< " <<<"$(field espalier-plugin Depends)"
expect_not "a simulator in the plugin or the command" grep -qiE "simgrid|ns3|clp|gsl|gfortran" \
  <<<"$(field espalier-plugin Depends) $(field espalier Depends)"
expect_not "more than oneTBB and fmt in the plugin" grep -qE "libib|zlib" <<<"$(field espalier-plugin Depends)"
expect "the command with the models" grep -q "espalier (=" <<<"$(field espalier-models Depends)"

# The command says what is missing, and finds it when it is there.
told=$("$top_dir/espalier/usr/bin/espalier" throughput --help 2>&1 || true)
expect "the name of the package that is missing" grep -q "needs the package espalier-models, which is not installed" <<<"$told"
expect "throughput, now that its package is there" grep -q -- "--model" <<<"$("$root/usr/bin/espalier" throughput --help)"

# From a folder that the loader does not know, OpenSM finds the plugin that reports its tables.
cmake --install "$built" --prefix "$top_dir/prefix" >/dev/null
expect "an installed command that runs OpenSM" grep -q "^minhop *sound" \
  <(timeout 60 "$top_dir/prefix/bin/espalier" advise "$test_dir/../fabrics/single_switch.net" --stock minhop 2>/dev/null)

if command -v rpmbuild >/dev/null; then
  (cd "$top_dir" && cpack -G RPM --config "$built/CPackConfig.cmake" -B "$top_dir/rpm") >"$top_dir/rpm.log" 2>&1
  for name in espalier espalier-plugin espalier-models; do
    rpm_file=$(compgen -G "$top_dir/rpm/$name-[0-9]*.rpm")
    rpm -qp --list "$rpm_file" >"$top_dir/$name.list"
    rpm -qp --requires "$rpm_file" >"$top_dir/$name.requires"
  done
  expect "the plugin in it" grep -q "/libespalier.so$" "$top_dir/espalier-plugin.list"
  expect "exactly this opensm" grep -qx "opensm >= $release" "$top_dir/espalier-plugin.requires"
  expect "and no later one" grep -q "^opensm < " "$top_dir/espalier-plugin.requires"
  expect_not "a simulator in it" grep -qiE "simgrid|clp" "$top_dir/espalier-plugin.requires" "$top_dir/espalier.requires"
  expect "that what was changed stays" grep -qx "/etc/opensm/espalier.conf" \
    <(rpm -qp --configfiles "$(compgen -G "$top_dir/rpm/espalier-plugin-[0-9]*.rpm")")
  expect_not "folders of the system" grep -qxE "/etc|/etc/opensm|/usr/share/man/man1" "$top_dir/espalier-plugin.list" "$top_dir/espalier.list"
fi

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

# The plugin and the command of the packages belong together.
expect "a version" grep -q "^espalier " <<<"$("$root/usr/bin/espalier" --version)"
stop_all

# The same without the file, as after a build from source: the defaults.
if [[ ! -e /etc/opensm/espalier.conf ]]; then
  new_run "$top_dir/without"
  start_ibsim "$top_dir/net"
  start_opensm "event_plugin_options /etc/opensm/espalier.conf" "routing_engine $engine,no_fallback"
  wait_log "SUBNET UP"
  expect "the defaults" in_log "osm_ucast_mgr_process: $engine tables configured on all switches"
fi
