#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Installs what is missing, builds, runs every test. The closing lines are ctest's, the exit status is faithful:
# a test that was skipped or did not run counts as failed.
set -euo pipefail
repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$repo"

usage() {
  cat <<EOT
usage: scripts/test.sh [CTEST ARGUMENT...]    every test but the long campaigns (preset dev)
       scripts/test.sh --label LABEL          tests with this label: unit, opensm, campaign
       scripts/test.sh --sanitize asan|tsan   unit tests with sanitizers
       scripts/test.sh --fuzz SECONDS         each fuzz target for that long, from its corpus
EOT
}

jobs=$(nproc)

# Tests may also look at real fabrics that lie beside the repository; they do not need them.
if [[ -z ${ESPALIER_FABRICS-} && -d $repo/../shared/fabrics ]]; then
  ESPALIER_FABRICS=$(realpath "$repo/../shared/fabrics")
  export ESPALIER_FABRICS
fi

# build PRESET: configures and builds, prints how long it took.
build() {
  local started=$SECONDS
  echo "== configure and build ($1, $jobs jobs)"
  # Compiler output only when something is wrong with it.
  if ! cmake --preset "$1" >"$log" 2>&1; then
    cat "$log"
    return 1
  fi
  cmake --build --preset "$1" --parallel "$jobs"
  echo "== built in $((SECONDS - started)) s"
}

# run_ctest BUILD_DIR ARGUMENT...: ctest, and afterward the question that its exit status does not answer.
run_ctest() {
  local build=$1 report=$repo/$1/ctest-report.xml status=0
  shift
  rm -f "$report"
  echo "== run tests ($build)"
  ctest "$@" --no-tests=error --parallel "$jobs" --output-on-failure --output-junit "$report" || status=$?
  if ((status == 0)); then
    nothing_skipped "$report" || status=1
  fi
  return $status
}

# Silent if all tests of the report ran; names the others.
nothing_skipped() {
  python3 - "$1" <<'PYTHON'
import sys
import xml.etree.ElementTree as xml

not_run = [case.get("name") for case in xml.parse(sys.argv[1]).getroot().iter("testcase") if case.get("status") not in ("run", "fail")]
for name in not_run:
    print(f"did not run: {name}")
sys.exit(f"FAILED: {len(not_run)} tests did not run; a skipped test is not a passed test" if not_run else 0)
PYTHON
}

run_default() {
  scripts/install_deps.sh run test plot package
  build dev
  run_ctest build/dev --preset dev "$@"
}

run_label() {
  scripts/install_deps.sh run test plot package
  build dev
  run_ctest build/dev --test-dir build/dev --label-regex "^$1\$"
}

run_sanitized() {
  [[ $1 == asan || $1 == tsan ]] || { usage >&2; exit 2; }
  scripts/install_deps.sh run test plot package
  build "$1"
  export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
  export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1
  run_ctest "build/$1" --preset "$1"
}

run_fuzzers() {
  local seconds=$1 target corpus found=0
  [[ $seconds =~ ^[1-9][0-9]*$ ]] || { usage >&2; exit 2; }
  scripts/install_deps.sh run fuzz
  build fuzz
  for target in build/fuzz/fuzz_*; do
    [[ -f $target && -x $target ]] || continue
    found=$((found + 1))
    corpus=build/fuzz/corpus/$(basename "$target")
    mkdir -p "$corpus"
    echo "== $(basename "$target") for $seconds s"
    local seeds=tests/fuzz/corpus/${target##*/fuzz_}
    [[ -d $seeds ]] || seeds=
    "$target" -max_total_time="$seconds" -print_final_stats=1 -artifact_prefix=build/fuzz/ "$corpus" ${seeds:+"$seeds"}
  done
  if ((found == 0)); then
    echo "FAILED: no fuzz target was built" >&2
    return 1
  fi
  echo "== $found fuzz targets, no finding"
}

log=$(mktemp)
trap 'rm -f "$log"' EXIT

case "${1-}" in
  --help | -h) usage ;;
  --label) run_label "${2:?$(usage)}" ;;
  --sanitize) run_sanitized "${2:?$(usage)}" ;;
  --fuzz) run_fuzzers "${2:?$(usage)}" ;;
  *) run_default "$@" ;;
esac
