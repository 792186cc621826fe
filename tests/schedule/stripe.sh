#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# The sample program, in C, reads what the commands write: every pair gets its offsets, their shares, and messages
# accordingly. Run as `stripe.sh BUILD_DIR`.
set -Eeuo pipefail
build=$(cd "${1:?usage: $0 BUILD_DIR}" && pwd)
dir=$(mktemp -d -t espalier-stripe-XXXXXX)
trap 'rm -rf "$dir"' EXIT
trap 'echo "FAILED: line $LINENO: $BASH_COMMAND" >&2; cat "$dir"/*.out >&2 || true' ERR

espalier() { "$build/espalier" "$@" 2>>"$dir/espalier.out"; }
stripe() { timeout -s KILL 60 "$build/stripe" "$@"; }

# By classes: a path over a third group for 4 messages of 13, the shortest for 1.
espalier generate dragonfly 2,4,2,9 -o "$dir/net"
espalier route "$dir/net" --engine dragonfly-rlm --lmc 2 --lanes "$dir/lanes" --lid-choices "$dir/classes" -o "$dir/lfts"
from=0x0002c90100000011
to=$(sed -n 's/^destination 2: \(0x[0-9a-f]*\).*/\1/p' "$dir/classes")
stripe "$dir/classes" "$from" "$to" 1300 >"$dir/classes.out"
diff "$dir/classes.out" - <<'END'
offset 0 share 0.076923 messages 100
offset 1 share 0.307692 messages 400
offset 2 share 0.307692 messages 400
offset 3 share 0.307692 messages 400
END

# By pairs, SDN-optimal of Faizian 2018: three flows over two cables reach 2/3 if one of them is divided.
espalier generate pgft "2;4,4;1,2;1,1" -o "$dir/tree"
espalier route "$dir/tree" --engine balanced --lmc 1 -o "$dir/tree.lfts"
printf '"host %s" "host %s"\n' 0 4 1 8 2 12 >"$dir/flows"
espalier throughput "$dir/tree" --paths "lfts:$dir/tree.lfts" --lmc 1 --flows "$dir/flows" --weights "$dir/pairs" \
  >>"$dir/espalier.out"
grep "^0x" "$dir/pairs" >"$dir/lines.out"
grep -q " 0:0[.0-9]* 1:" "$dir/lines.out"
test "$(wc -l <"$dir/lines.out")" -eq 3
while read -r from to offsets; do
  stripe "$dir/pairs" "$from" "$to" 1024 | awk '{ print $2, $4 }' >"$dir/shares.out"
  awk '{ for (i = 1; i <= NF && $i != "#"; ++i) { split($i, word, ":"); offset[i] = word[1]; all += weight[i] = word[2] }
    for (k = 1; k < i; ++k) printf "%d %.6f\n", offset[k], weight[k] / all }' <<<"$offsets" | diff - "$dir/shares.out"
done <"$dir/lines.out"

# Nothing else is taken for such a file.
if stripe "$dir/net" 1 2 2>"$dir/refused.out"; then
  echo "a fabric was accepted as weights" >&2
  exit 1
fi
grep -q "^stripe: $dir/net:[0-9]*: " "$dir/refused.out"
