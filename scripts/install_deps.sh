#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Installs the packages that are missing, and only those: a second call asks the machine, not the network. Knows Debian and
# Ubuntu (apt), Fedora, RHEL and Rocky (dnf; EPEL and CRB have to be on), SLES and openSUSE (zypper). What a distribution
# does not have is named, with the exit code 1; docs/install.md says what to do about it.
#
# Usage: install_deps.sh GROUP...   groups: run (build, OpenSM, ibsim), test (tests, format, lint), plot,
#        fuzz, package
set -euo pipefail

run=(
  g++ cmake ninja-build pkg-config                                 # build
  libboost-graph-dev libtbb-dev libfmt-dev libexpected-dev         # core
  libcli11-dev nlohmann-json3-dev                                  # core/io, core/tools
  zlib1g-dev                                                       # core/io
  libcadical-dev                                                   # core/schedule
  libsimgrid-dev                                                   # core/simulation
  coinor-libclp-dev                                                # core/throughput
  libopensm-dev libibumad-dev libibmad-dev libibnetdisc-dev        # plugin, core/live
  opensm ibsim-utils infiniband-diags                              # a subnet manager and a fabric to try it on
  iproute2 procps util-linux                                       # an own network for each ibsim; setpriv
)
test=(googletest libgtest-dev libgmock-dev libbenchmark-dev python3 clang-format clang-tidy ibutils time chromium
      libopenmpi-dev openmpi-bin # core/schedule/client/sample
      slurmctld slurm-client)    # a reader of topology.conf
plot=(python3-matplotlib)
fuzz=(clang libclang-rt-14-dev)
package=(dpkg-dev file rpm rpm2cpio cpio)

# The same under other names; "-": nobody has it there.
declare -A dnf_name=(
  [g++]=gcc-c++ [cmake]=cmake [ninja-build]=ninja-build [pkg-config]=pkgconf-pkg-config
  [libboost-graph-dev]=boost-devel [libtbb-dev]=tbb-devel [libfmt-dev]=fmt-devel [libexpected-dev]=expected-devel
  [libcli11-dev]=cli11-devel [nlohmann-json3-dev]=json-devel [zlib1g-dev]=zlib-devel [libcadical-dev]=cadical-devel
  [libsimgrid-dev]=simgrid-devel [coinor-libclp-dev]=coin-or-Clp-devel
  [libopensm-dev]=opensm-devel [libibumad-dev]=rdma-core-devel [libibmad-dev]=rdma-core-devel [libibnetdisc-dev]=rdma-core-devel
  [opensm]=opensm [ibsim-utils]=ibsim [infiniband-diags]=infiniband-diags
  [iproute2]=iproute [procps]=procps-ng [util-linux]=util-linux
  [googletest]=gtest-devel [libgtest-dev]=gtest-devel [libgmock-dev]=gmock-devel [libbenchmark-dev]=google-benchmark-devel
  [python3]=python3 [clang-format]=clang-tools-extra [clang-tidy]=clang-tools-extra [ibutils]=- [time]=time [chromium]=chromium
  [libopenmpi-dev]=openmpi-devel [openmpi-bin]=openmpi [slurmctld]=slurm-slurmctld [slurm-client]=slurm
  [python3-matplotlib]=python3-matplotlib [clang]=clang [libclang-rt-14-dev]=compiler-rt
  [dpkg-dev]=dpkg-dev [file]=file [rpm]=rpm-build [rpm2cpio]=rpm [cpio]=cpio)
declare -A zypper_name=(
  [g++]=gcc13-c++ [cmake]=cmake [ninja-build]=ninja [pkg-config]=pkg-config
  [libboost-graph-dev]=libboost_headers-devel [libtbb-dev]=tbb-devel [libfmt-dev]=fmt-devel [libexpected-dev]=-
  [libcli11-dev]=cli11-devel [nlohmann-json3-dev]=nlohmann_json-devel [zlib1g-dev]=zlib-devel [libcadical-dev]=-
  [libsimgrid-dev]=- [coinor-libclp-dev]=-
  [libopensm-dev]=opensm-devel [libibumad-dev]=rdma-core-devel [libibmad-dev]=rdma-core-devel [libibnetdisc-dev]=rdma-core-devel
  [opensm]=opensm [ibsim-utils]=ibsim [infiniband-diags]=infiniband-diags
  [iproute2]=iproute2 [procps]=procps [util-linux]=util-linux
  [googletest]=gtest [libgtest-dev]=gtest [libgmock-dev]=gmock [libbenchmark-dev]=benchmark-devel
  [python3]=python3 [clang-format]=clang [clang-tidy]=clang [ibutils]=ibutils [time]=time [chromium]=chromium
  [libopenmpi-dev]=openmpi4-devel [openmpi-bin]=openmpi4 [slurmctld]=slurm [slurm-client]=slurm
  [python3-matplotlib]=python3-matplotlib [clang]=clang [libclang-rt-14-dev]=-
  [dpkg-dev]=dpkg [file]=file [rpm]=rpm-build [rpm2cpio]=rpm [cpio]=cpio)

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

as_root=()
((EUID == 0)) || as_root=(sudo)
need_root() {
  if ((EUID != 0)) && ! command -v sudo >/dev/null; then
    echo "install_deps: needs root (or sudo) to install: $*" >&2
    exit 1
  fi
}

# install_rpms MANAGER: of what has a name there, the packages that rpm does not know yet.
install_rpms() {
  local -n names=$1_name
  local name package absent=() missing=()
  for name in "${wanted[@]}"; do
    package=${names[$name]:--}
    if [[ $package == - ]]; then
      absent+=("$name")
    elif ! rpm -q --whatprovides "$package" >/dev/null 2>&1; then
      missing+=("$package")
    fi
  done
  if ((${#missing[@]} > 0)); then
    need_root "${missing[@]}"
    mapfile -t missing < <(printf '%s\n' "${missing[@]}" | sort -u)
    echo "install_deps: installing ${missing[*]}"
    # One by one: a name that a release lacks must not keep the others away.
    for package in "${missing[@]}"; do
      case $1 in
        dnf) "${as_root[@]}" dnf -y -q --setopt=install_weak_deps=False install "$package" || absent+=("$package") ;;
        zypper) "${as_root[@]}" zypper --non-interactive --quiet install --no-recommends "$package" || absent+=("$package") ;;
      esac
    done
  fi
  if ((${#absent[@]} > 0)); then
    echo "install_deps: $1 cannot install: ${absent[*]}" >&2
    echo "install_deps: what to do about each is in docs/install.md" >&2
    exit 1
  fi
}

if ! command -v dpkg-query >/dev/null || [[ ${ESPALIER_PACKAGE_MANAGER-} == @(dnf|zypper) ]]; then
  for manager in ${ESPALIER_PACKAGE_MANAGER:-dnf zypper}; do
    if command -v "$manager" >/dev/null; then
      install_rpms "$manager"
      exit 0
    fi
  done
  echo "install_deps: neither apt, dnf nor zypper is here; needed (names of Debian): ${wanted[*]}" >&2
  exit 1
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

need_root "${missing[@]}"
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
