#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Installs the Debian 12 packages that are missing, and only those: a second call asks dpkg, not the network.
#
# Usage: install_deps.sh GROUP...   groups: run (build, OpenSM, ibsim), test (tests, format, lint), plot,
#        fuzz, package
set -euo pipefail

run=(
  g++ cmake ninja-build pkg-config                                 # build
  libboost-graph-dev libtbb-dev libfmt-dev libexpected-dev         # core
  libcli11-dev nlohmann-json3-dev                                  # core/io, core/tools
  libcadical-dev                                                   # core/schedule
  libsimgrid-dev                                                   # core/simulation
  coinor-libclp-dev                                                # core/throughput
  libopensm-dev libibumad-dev libibmad-dev libibnetdisc-dev        # plugin, core/live
  opensm ibsim-utils infiniband-diags                              # a subnet manager and a fabric to try it on
  iproute2 procps util-linux                                       # an own network for each ibsim; setpriv
)
test=(googletest libgtest-dev libgmock-dev libbenchmark-dev python3 clang-format clang-tidy ibutils time chromium
      libopenmpi-dev openmpi-bin) # core/schedule/client/sample
plot=(python3-matplotlib)
fuzz=(clang libclang-rt-14-dev)
package=(dpkg-dev file)

wanted=()
for group in "$@"; do
  case "$group" in
    run | test | plot | fuzz | package) declare -n packages=$group; wanted+=("${packages[@]}") ;;
    *) echo "install_deps: unknown group $group (run, test, plot, fuzz, package)" >&2; exit 2 ;;
  esac
done
if ((${#wanted[@]} == 0)); then
  echo "usage: $0 {run|test|plot|fuzz|package}..." >&2
  exit 2
fi

# dpkg-query fails when one name is unknown to it, which is an answer here: that package is missing.
installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${wanted[@]}" 2>/dev/null || true)
missing=()
for name in "${wanted[@]}"; do
  grep -qxF "installed $name" <<<"$installed" || missing+=("$name")
done
if ((${#missing[@]} == 0)); then
  exit 0
fi

as_root=()
if ((EUID != 0)); then
  if ! command -v sudo >/dev/null; then
    echo "install_deps: needs root (or sudo) to install: ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi
apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o Dpkg::Use-Pty=0 "$@"; }

echo "install_deps: installing ${missing[*]}"
# A bare container has no package lists; lists that exist may be too old, which shows when the install fails.
if ! compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null; then
  apt update
fi
if ! apt install -y --no-install-recommends "${missing[@]}"; then
  apt update
  apt install -y --no-install-recommends "${missing[@]}"
fi
