#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Engines with virtual lanes against those of OpenSM, all in the real OpenSM on ibsim, each fabric in one run of compare.
#
#   scripts/lane_campaign.sh BUILD_DIR FOLDER [small|medium|large|plus|damaged]
#
# small: up to 100 hosts. medium: up to 350 hosts. large: dragonflies of 1 056 hosts. plus: a dragonfly+ of 510 hosts.
# damaged: the fabrics of layers without 5 % of their links. Records go to FOLDER/SIZE.jsonl, and are not made again; the
# table goes to standard output, in Markdown.
set -euo pipefail
build=$(cd "${1:?usage: $0 BUILD_DIR FOLDER [small|medium|large|plus|damaged]}" && pwd)
mkdir -p "${2:?usage: $0 BUILD_DIR FOLDER [small|medium|large|plus|damaged]}"
folder=$(cd "$2" && pwd)
size=${3:-small}
scripts=$(cd "$(dirname "$0")" && pwd)
espalier=$build/espalier
stock=dfsssp,lash,nue,minhop,updn

# compare FILE ENGINES KIND SPEC [OPTION ...]: generates the fabric and runs our engines and OpenSM's on it. With
# lost=N, without N of its links.
compare() {
  local net=$folder/$1.net engines=$2
  "$espalier" generate "$3" "$4" "${@:5}" -o "$net"
  if [ -n "${lost:-}" ]; then
    "$espalier" degrade "$net" --links "$lost" --seed 1001 -o "$net.damaged"
    mv "$net.damaged" "$net"
  fi
  "$espalier" compare "$net" --stock "$engines,$stock" --patterns a2a --json "$folder/$size.jsonl" --limit 300 \
    --runner "$scripts/run_opensm.sh" >/dev/null
}

case $size in
  small)
    compare dragonfly-72 dragonfly,dragonfly-rlm,layers dragonfly "2,4,2,9"
    compare hyperx-108 layers hyperx "6,6;3"
    ;;
  medium)
    compare slimfly-200 layers slimfly "5,4"
    compare jellyfish-200 layers jellyfish "50,7,4" --seed 1001
    compare gdbg-200 layers gdbg "50,4,4"
    compare torus-256 layers torus "8,8,4,1"
    compare dragonfly-342 dragonfly,dragonfly-rlm,layers dragonfly "3,6,3,19"
    ;;
  large) compare dragonfly-1056 dragonfly,dragonfly-rlm,layers dragonfly "4,8,4,33" ;;
  plus) compare dragonfly-plus-510 dragonfly,dragonfly-rlm,layers megafly "17;6,5,4;4" ;;
  damaged)
    lost=9 compare hyperx-108-damaged layers hyperx "6,6;3"
    lost=9 compare slimfly-200-damaged layers slimfly "5,4"
    lost=9 compare jellyfish-200-damaged layers jellyfish "50,7,4" --seed 1001
    lost=10 compare gdbg-200-damaged layers gdbg "50,4,4"
    lost=32 compare torus-256-damaged layers torus "8,8,4,1"
    ;;
  *) echo "$0: small, medium, large, plus or damaged" >&2 && exit 2 ;;
esac

python3 - "$folder/$size.jsonl" <<'END'
import json, sys

print("| fabric | engine | all traffic | hosts alone | VLs | worst channel, all-to-all | CPU ms |")
print("|---|---|---|---|---|---|---|")
word = {True: "sound", False: "**no**", None: ""}
for record in map(json.loads, open(sys.argv[1])):
    name = record["fabric"].removesuffix(".net")
    if record["outcome"] != "routed":
        print(f"| {name} | {record['engine']} | fails: {record.get('reason', '')[:60]} | | | | |")
        continue
    used = record["engine_used"]
    engine = record["engine"] if used == record["engine"] else f"{record['engine']} (then {used})"
    print(f"| {name} | {engine} | {word[record['sound']]} | {word[record['sound_hosts']]} | {record['vls']} | "
          f"{record['Xi_a2a']} | {record.get('cpu_ms', 0):.0f} |")
END
