#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Builds the plugin, and with --all the command and the models as well, with each compiler that is installed: g++ 11 to 14
# and clang. Says which compiled it and which did not. Without optimization, on which it does not depend what compiles
# and links; sixteen files at a time.
#
# Usage: compilers.sh [--all] [BUILD_FOLDER]   default folder: a temporary one
#        COMPILERS="g++-11 clang++-14" compilers.sh ...   only these
set -euo pipefail
repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
parts=(-DESPALIER_COMMAND=OFF)
if [[ ${1-} == --all ]]; then
  parts=()
  shift
fi
folder=${1:-$(mktemp -d -t espalier-compilers-XXXXXX)}
[[ -n ${1-} ]] || trap 'rm -rf "$folder"' EXIT

failed=0 tried=0
for compiler in ${COMPILERS-g++-11 g++-12 g++-13 g++-14 clang++}; do
  command -v "$compiler" >/dev/null || continue
  tried=$((tried + 1))
  log=$folder/$compiler.log
  if cmake -S "$repo" -B "$folder/$compiler" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=-O0 \
    -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=16 -DCMAKE_CXX_COMPILER="$compiler" -DBUILD_TESTING=OFF \
    "${parts[@]}" >"$log" 2>&1 && cmake --build "$folder/$compiler" >>"$log" 2>&1; then
    echo "ok      $compiler $("$compiler" -dumpfullversion 2>/dev/null || "$compiler" -dumpversion)"
  else
    echo "FAILED  $compiler: $log"
    grep -E "error|Error" "$log" | head -n 5 || true
    trap - EXIT
    failed=1
  fi
done
((tried > 0)) || { echo "no compiler found" >&2; exit 2; }
exit $failed
