#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# A machine that never saw Espalier, as far as one can be made here: this one under an overlay, in namespaces of its own,
# with nothing in /etc/opensm. The packages are installed by dpkg, the lines of README.md go into the configuration that
# opensm itself writes, and opensm starts as on any host, by its default paths.
source "$(dirname "$0")/common.sh" "$@"
((EUID == 0)) || { echo "skipped: overlays need root"; exit 77; }
command -v dpkg-shlibdeps >/dev/null || { echo "skipped: there is no dpkg-shlibdeps (package dpkg-dev)"; exit 77; }
unshare -mpn --fork true 2>/dev/null || { echo "skipped: no namespaces here"; exit 77; }

(cd "$run_dir" && cpack -G DEB --config "$ESPALIER_BUILD/CPackConfig.cmake" -B "$run_dir/package") >"$run_dir/cpack.log" 2>&1
two_level 4 2 3 >"$run_dir/net"
awk '/^```/ { if (block ~ /event_plugin_name espalier/) { printf "%s", block; exit } block = ""; next }
     { block = block $0 "\n" }' "$test_dir/../../README.md" >"$run_dir/lines"
expect "the lines of README.md" test "$(wc -l <"$run_dir/lines")" -ge 3

# What an administrator types, and a simulator for the hardware.
cat >"$run_dir/inside.sh" <<'INSIDE'
set -eu
cd /run/espalier
rm -rf /etc/opensm /usr/local/lib/libespalier* /var/log/opensm.log
mkdir -p /etc/opensm /var/log /var/cache/opensm
dpkg --force-confnew -i package/espalier-plugin_*.deb package/espalier_*.deb >dpkg.log 2>&1
opensm -c /etc/opensm/opensm.conf >create.log 2>&1
{ cat lines; echo "force_log_flush TRUE"; } >>/etc/opensm/opensm.conf # else the log stays in memory
espalier doctor net --opensm-conf /etc/opensm/opensm.conf >doctor 2>&1 || { cat doctor; exit 1; }
export IBSIM_SOCKNAME=espalier-fresh-root
mkfifo console
sleep 1000 >console &
ibsim -s net <console >ibsim.log 2>&1 &
for i in $(seq 100); do grep -q "^sim>" ibsim.log && break; sleep 0.1; done
SIM_HOST=host1.1 LD_PRELOAD=$UMAD2SIM opensm >opensm.out 2>&1 &
for i in $(seq 600); do grep -q "SUBNET UP" /var/log/opensm.log 2>/dev/null && break; sleep 0.1; done
cp /var/log/opensm.log sm.log
espalier --version >version
espalier help route >help
INSIDE

mkdir "$run_dir/top"
# shellcheck disable=SC2016
status=0
UMAD2SIM=$umad2sim timeout -s KILL 200 unshare --mount --pid --net --fork --kill-child sh -eu -c '
  mount -t tmpfs none "$0/top"
  mkdir "$0/top/upper" "$0/top/work" "$0/top/root"
  mount -t overlay overlay -o "lowerdir=/,upperdir=$0/top/upper,workdir=$0/top/work" "$0/top/root"
  mount -t proc none "$0/top/root/proc"
  mount --bind /dev "$0/top/root/dev"
  mount -t tmpfs none "$0/top/root/run"
  mkdir "$0/top/root/run/espalier"
  mount --bind "$0" "$0/top/root/run/espalier"
  ip link set lo up
  exec chroot "$0/top/root" sh /run/espalier/inside.sh' "$run_dir" >"$run_dir/inside.out" 2>&1 || status=$?
if ((status != 0)); then cat "$run_dir/inside.out"; tail -n 20 "$run_dir/dpkg.log" || true; fi
expect "an installation without a stumble" test "$status" = 0

sm_log=$run_dir/sm.log
expect "balanced" in_log "osm_ucast_mgr_process: balanced tables configured on all switches"
expect_not "an error of ours" in_log "0x01 -> espalier"
expect "the doctor's word" grep -q "balanced routes this fabric" "$run_dir/doctor"
expect "a version" grep -q "^espalier [0-9]" "$run_dir/version"
expect "nothing of it outside" test ! -e "/etc/opensm/espalier.conf" -o -n "$(dpkg -S /etc/opensm/espalier.conf 2>/dev/null || true)"
