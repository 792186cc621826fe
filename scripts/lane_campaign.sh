#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Engines with virtual lanes against those of OpenSM, all in the real OpenSM on ibsim, each fabric in one run of compare.
#
#   scripts/lane_campaign.sh BUILD_DIR FOLDER [small|medium|large|huge|plus|damaged]
#
# small: up to 100 hosts. medium: up to 350 hosts. large: a dragonfly of 1 056 hosts. huge: one of 5 256.
# plus: dragonfly+ of 510 and 2 112 hosts. damaged: the fabrics of layers without 5 % of their links. Records go to
# FOLDER/SIZE.jsonl, and are not made again; the table goes to standard output, in Markdown.
set -euo pipefail
if (($# < 2)) || [[ ! -d $1 ]]; then
  sed -n '3,${/^#/!q;s/^# \{0,1\}//;p}' "$0" >&2
  exit 2
fi
build=$(cd "$1" && pwd)
mkdir -p "$2"
folder=$(cd "$2" && pwd)
size=${3:-small}
scripts=$(cd "$(dirname "$0")" && pwd)
espalier=$build/espalier
stock=dfsssp,lash,nue,minhop,updn
runner=$scripts/run_opensm.sh

# compare FILE ENGINES KIND SPEC [OPTION ...]: generates the fabric and runs our engines and OpenSM's on it. With
# lost=N, without N of its links.
compare() {
  local net=$folder/$1.net engines=$2
  "$espalier" generate "$3" "$4" "${@:5}" -o "$net"
  if [ -n "${lost:-}" ]; then
    "$espalier" degrade "$net" --links "$lost" --seed 1001 -o "$net.damaged"
    mv "$net.damaged" "$net"
  fi
  "$espalier" compare "$net" --stock "$engines,$stock" --patterns a2a,rp:20 --json "$folder/$size.jsonl" --limit 300 \
    --runner "$runner" >/dev/null
}

# Of an 8 x 8 x 4 torus: with torus-2QoS, which has to be told where the torus is.
compare_torus() {
  "$scripts/torus_2qos_conf.sh" 8 8 4 >"$folder/torus.conf"
  printf '#!/bin/sh\nexec "%s" -o "torus_config %s" "$@"\n' "$scripts/run_opensm.sh" "$folder/torus.conf" >"$folder/runner"
  chmod +x "$folder/runner"
  runner=$folder/runner stock=$stock,torus-2QoS compare "$1" layers torus "8,8,4,1"
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
    compare_torus torus-256
    compare dragonfly-342 dragonfly,dragonfly-rlm,layers dragonfly "3,6,3,19"
    ;;
  large) compare dragonfly-1056 dragonfly,dragonfly-rlm,layers dragonfly "4,8,4,33" ;;
  huge) compare dragonfly-5256 dragonfly,dragonfly-rlm,layers dragonfly "6,12,6,73" ;;
  plus)
    compare dragonfly-plus-510 dragonfly,dragonfly-rlm,layers megafly "17;6,5,4;4"
    compare dragonfly-plus-2112 dragonfly,dragonfly-rlm,layers megafly "33;8,8,8;4"
    ;;
  damaged)
    lost=9 compare hyperx-108-damaged layers hyperx "6,6;3"
    lost=9 compare slimfly-200-damaged layers slimfly "5,4"
    lost=9 compare jellyfish-200-damaged layers jellyfish "50,7,4" --seed 1001
    lost=10 compare gdbg-200-damaged layers gdbg "50,4,4"
    lost=32 compare_torus torus-256-damaged
    ;;
  *) echo "$0: small, medium, large, huge, plus or damaged" >&2 && exit 2 ;;
esac

python3 - "$folder/$size.jsonl" <<'END'
import json, sys

print("| fabric | engine | all traffic | hosts alone | VLs | worst channel, all-to-all | random permutation | CPU ms |")
print("|---|---|---|---|---|---|---|---|")
word = {True: "sound", False: "**no**", None: ""}
for record in map(json.loads, open(sys.argv[1])):
    name = record["fabric"].removesuffix(".net")
    if record["outcome"] != "routed":
        print(f"| {name} | {record['engine']} | fails: {record.get('reason', '')[:60]} | | | | | |")
        continue
    used = record["engine_used"]
    engine = record["engine"] if used == record["engine"] else f"{record['engine']} (then {used})"
    print(f"| {name} | {engine} | {word[record['sound']]} | {word[record['sound_hosts']]} | {record['vls']} | "
          f"{record['Xi_a2a']} | {record['mu_rp_mean']:.2f} | {record.get('cpu_ms', 0):.0f} |")
END
