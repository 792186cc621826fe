#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Runs clang-tidy (.clang-tidy: an allow-list, all errors) on core/ and plugin/, or on the files named.
#
# Usage: tidy.sh [-p BUILD_DIR] [FILE...]    BUILD_DIR holds compile_commands.json; default build/dev, made if missing
set -euo pipefail
repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

build=$repo/build/dev
if [[ ${1-} == -p ]]; then
  build=$(realpath "${2:?tidy: -p needs a folder}")
  shift 2
fi
only=()
for file in "$@"; do only+=("$(realpath "$file")"); done

cd "$repo"
if [[ ! -f $build/compile_commands.json ]]; then
  cmake --preset dev -B "$build" >/dev/null
fi

# The sources that are really compiled; headers are reached through them (HeaderFilterRegex).
mapfile -t files < <(python3 - "$build/compile_commands.json" "$repo" "${only[@]}" <<'PYTHON'
import json, os, sys
commands, repo, only = sys.argv[1], sys.argv[2], set(sys.argv[3:])
compiled = {os.path.realpath(os.path.join(c["directory"], c["file"])) for c in json.load(open(commands))}
ours = {f for f in compiled if f.startswith((f"{repo}/core/", f"{repo}/plugin/"))}
for unknown in sorted(only - compiled):
    print(f"tidy: not compiled, so not checked: {unknown}", file=sys.stderr)
print("\n".join(sorted(only & compiled if only else ours)))
PYTHON
)
if ((${#files[@]} == 0)) || [[ -z ${files[0]} ]]; then
  echo "tidy: nothing to check" >&2
  exit 1
fi

# clang-tidy counts the warnings of system headers on stderr; what matters is on stdout. A translation unit that
# clang cannot parse is an error on stdout as well.
started=$SECONDS
status=0
printf '%s\0' "${files[@]}" |
  xargs -0 -n 1 -P "${TIDY_JOBS:-2}" clang-tidy --quiet -p "$build" --extra-arg=-Wno-unknown-warning-option 2>/dev/null ||
  status=1
echo "tidy: ${#files[@]} files, $((SECONDS - started)) s, $([[ $status == 0 ]] && echo clean || echo 'findings above')"
exit $status
