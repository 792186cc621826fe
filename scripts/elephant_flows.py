#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Routes known flows with engine `flows` and compares the fullest channel with another engine's.

Usage: elephant_flows.py [--espalier PROGRAM] [--other ENGINES] [--sets N] [--patterns WORDS] [--lmc L] [--bound] NET
  --other ENGINES  to compare with the best of: balanced (the default), dragonfly, layers, ...
  --patterns WORDS instead of random sets shift:S (each host to the one S further on) and perm:SEED
  --sets N         N sets of 50, 100, ... up to 1000 flows between random hosts, seeds from 1001
  --lmc L          2^L LIDs for each host with `flows`, and each known flow at the one that --lid-choices names
  --bound          also what the fullest channel between switches has to carry at least (maximum concurrent flow, by
                   espalier throughput on a copy with far faster links to hosts): when flows may split over all shortest
                   and Valiant paths; and when they may split over the trees of these very tables

One line per set: flows, the fullest channel between switches under `flows` and under the other engine, their ratio, the
bounds, and the ratio to the next whole number of each: flows of weight 1 do not split. Where links differ in rate, channels
count by what they carry. Exit status 1 if `flows` is ever worse. --bound needs links between switches of one speed.
"""

import argparse
import json
import math
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}\n{done.stderr}")
    return done.stdout


def load(espalier, net, engine, flows, folder, lmc=0):
    tables, lanes = str(folder / f"{engine}.tables"), str(folder / f"{engine}.lanes")
    lids, use = ["--lmc", str(lmc)], []
    more = ["--flows", flows] if engine == "flows" else []
    if lmc:
        choices = str(folder / "choices")
        more += ["--lid-choices", choices]
        use = ["--lid-offset", choices]
    run(espalier, "route", net, "--engine", engine, "--lanes", lanes, "-o", tables, "-j", "1", *lids, *more)
    verdict = json.loads(run(espalier, "verify", net, tables, "--lanes", lanes, "--json", "-j", "1", *lids))
    if not verdict["ok"]:
        sys.exit(f"{engine}: unsound")
    out = run(espalier, "analyze", net, tables, "--patterns", f"matrix:{flows}", "--host-order", "lid", "--also",
              "lengths", "--json", "-j", "1", *lids, *use)
    found = json.loads(out)
    return found.get("load_matrix_per_capacity", found["load_matrix"])


HOST_WIDTH = 12


# A copy of the fabric in which links to hosts are HOST_WIDTH times as wide as others.
def with_fast_hosts(net, folder):
    lines, of_host = [], False
    for line in Path(net).read_text().splitlines():
        if line[:1].isalpha():
            of_host = line.startswith("Ca")
        width = HOST_WIDTH if of_host or '"H-' in line else 1
        lines.append(re.sub(r"\b\d+x([A-Z]+\d*)$", rf"{width}x\1", line.rstrip()))
    copy = folder / "fast.net"
    copy.write_text("\n".join(lines) + "\n")
    return str(copy)


# What the fullest channel between switches carries at least when flows split over `paths`.
def least_load(espalier, net, paths, flows, lmc=0):
    out = run(espalier, "throughput", net, "--lmc", str(lmc), "--paths", paths, "--flows", flows, "--model", "mcf",
              "--solver", "fptas", "--gap", "0.02", "--host-order", "lid", "--json")
    return 1 / json.loads(out)["bound_high"] / HOST_WIDTH


def random_pairs(hosts, count, seed):
    draw = random.Random(seed)
    pairs = set()
    while len(pairs) < count:
        pairs.add(tuple(draw.sample(hosts, 2)))
    return sorted(pairs)


def pattern_pairs(hosts, word):
    kind, number = word.split(":")
    to = [hosts[(i + int(number)) % len(hosts)] for i in range(len(hosts))]
    if kind == "perm":
        random.Random(int(number)).shuffle(to)
    return [(a, b) for a, b in zip(hosts, to) if a != b]


def sets_of(arguments, hosts):
    for word in arguments.patterns.split():
        yield word, pattern_pairs(hosts, word)
    for i in range(0 if arguments.patterns else arguments.sets):
        count = 50 + (1000 - 50) * i // max(1, arguments.sets - 1)
        yield f"{count:5} flows", random_pairs(hosts, count, 1001 + i)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--espalier", default="espalier")
    parser.add_argument("--other", default="balanced")
    parser.add_argument("--sets", type=int, default=20)
    parser.add_argument("--patterns", default="")
    parser.add_argument("--lmc", type=int, default=0)
    parser.add_argument("--bound", action="store_true")
    parser.add_argument("net")
    arguments = parser.parse_args()
    hosts = [p["description"] for p in json.loads(run(arguments.espalier, "convert", arguments.net, "--to", "json"))["end_ports"]]
    ratios, over_bound, worse = [], {"all paths": [], "these trees": []}, 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        fast = with_fast_hosts(arguments.net, folder) if arguments.bound else None
        for title, pairs in sets_of(arguments, hosts):
            flows = str(folder / "flows.txt")
            Path(flows).write_text("".join(f'"{a}" "{b}" 1\n' for a, b in pairs))
            known = load(arguments.espalier, arguments.net, "flows", flows, folder, arguments.lmc)
            other = min(load(arguments.espalier, arguments.net, engine, flows, folder) for engine in arguments.other.split(","))
            ratios.append(known / other)
            worse += known > other
            line = f"{title}: {known:6.1f} with flows, {other:6.1f} with {arguments.other}, ratio {ratios[-1]:.2f}"
            if arguments.bound:
                trees = f"lfts:{folder / 'flows.tables'}"
                for name, paths, lmc in ("all paths", "min+vlb", 0), ("these trees", trees, arguments.lmc):
                    least = least_load(arguments.espalier, fast, paths, flows, lmc)
                    over_bound[name].append(known / math.ceil(least - 1e-6))
                    line += f"; {name} {least:.2f}, ratio {over_bound[name][-1]:.2f}"
            print(line, flush=True)
    print(f"mean ratio {sum(ratios) / len(ratios):.2f}, worst {max(ratios):.2f}, worse in {worse}")
    for name, over in over_bound.items():
        if over:
            print(f"over the bound of {name}: mean {sum(over) / len(over):.2f}, worst {max(over):.2f}")
    sys.exit(1 if worse else 0)


if __name__ == "__main__":
    main()
