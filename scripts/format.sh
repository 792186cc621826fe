#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Formats every C and C++ source in place; with --check changes nothing and fails if anything would change.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

case "${1-}" in
  '') mode=(-i) ;;
  --check) mode=(--dry-run --Werror) ;;
  *) echo "usage: $0 [--check]" >&2; exit 2 ;;
esac

# Tracked files in a clone; all files in an unpacked archive.
sources() {
  local tops=(core plugin tests) names=('*.h' '*.cc' '*.c')
  if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    local top name
    for top in "${tops[@]}"; do
      for name in "${names[@]}"; do git ls-files -z -- "$top/$name"; done
    done
  else
    find "${tops[@]}" -type f \( -name '*.h' -o -name '*.cc' -o -name '*.c' \) -print0
  fi
}

mapfile -d '' -t files < <(sources)
existing=()
for file in "${files[@]}"; do
  [[ -f $file ]] && existing+=("$file")  # a tracked file may be deleted but not yet committed
done
if ((${#existing[@]} == 0)); then
  echo "format: no source file found" >&2
  exit 1
fi
if ! printf '%s\0' "${existing[@]}" | xargs -0 clang-format --style=file "${mode[@]}"; then
  echo "format: run scripts/format.sh" >&2
  exit 1
fi
echo "format: ${#existing[@]} files"
