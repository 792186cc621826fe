#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Routes known flows with engine `flows` and compares the fullest channel with another engine's.

Usage: elephant_flows.py [--espalier PROGRAM] [--other ENGINES] [--sets N] [--patterns WORDS] [--bound] NET
  --other ENGINES  to compare with the best of: balanced (the default), dragonfly, layers, ...
  --patterns WORDS instead of random sets shift:S (each host to the one S further on) and perm:SEED
  --sets N         N sets of 50, 100, ... up to 1000 flows between random hosts, seeds from 1001
  --bound          also the maximum concurrent flow on all shortest and Valiant paths (espalier throughput): no tables
                   put less than demand / rate on a channel

One line per set: flows, the fullest channel under `flows` and under the other engine, their ratio, and the ratio to the
bound. Links of hosts count in the bound: below 1 it is they that are full, and no channel between switches. Exit status 1
if `flows` is ever worse.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}\n{done.stderr}")
    return done.stdout


def load(espalier, net, engine, flows, folder):
    tables, lanes = str(folder / f"{engine}.tables"), str(folder / f"{engine}.lanes")
    more = ["--flows", flows] if engine == "flows" else []
    run(espalier, "route", net, "--engine", engine, "--lanes", lanes, "-o", tables, "-j", "1", *more)
    verdict = json.loads(run(espalier, "verify", net, tables, "--lanes", lanes, "--json", "-j", "1"))
    if not verdict["ok"]:
        sys.exit(f"{engine}: unsound")
    out = run(espalier, "analyze", net, tables, "--patterns", f"matrix:{flows}", "--host-order", "lid", "--also",
              "lengths", "--json", "-j", "1")
    return json.loads(out)["load_matrix"]


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
    parser = argparse.ArgumentParser(description="Known flows against another engine.")
    parser.add_argument("--espalier", default="espalier")
    parser.add_argument("--other", default="balanced")
    parser.add_argument("--sets", type=int, default=20)
    parser.add_argument("--patterns", default="")
    parser.add_argument("--bound", action="store_true")
    parser.add_argument("net")
    arguments = parser.parse_args()
    hosts = [p["description"] for p in json.loads(run(arguments.espalier, "convert", arguments.net, "--to", "json"))["end_ports"]]
    ratios, over_bound, worse = [], [], 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for title, pairs in sets_of(arguments, hosts):
            flows = str(folder / "flows.txt")
            Path(flows).write_text("".join(f'"{a}" "{b}" 1\n' for a, b in pairs))
            known = load(arguments.espalier, arguments.net, "flows", flows, folder)
            other = min(load(arguments.espalier, arguments.net, engine, flows, folder) for engine in arguments.other.split(","))
            ratios.append(known / other)
            worse += known > other
            line = f"{title}: {known:6.1f} with flows, {other:6.1f} with {arguments.other}, ratio {ratios[-1]:.2f}"
            if arguments.bound:
                out = run(arguments.espalier, "throughput", arguments.net, "--paths", "min+vlb", "--flows", flows,
                          "--model", "mcf", "--solver", "fptas", "--gap", "0.05", "--order", "lid", "--json")
                least = 1 / json.loads(out)["bound_high"]
                over_bound.append(known / least)
                line += f"; bound {least:.1f}, ratio {over_bound[-1]:.2f}"
            print(line, flush=True)
    print(f"mean ratio {sum(ratios) / len(ratios):.2f}, worst {max(ratios):.2f}, worse in {worse}")
    if over_bound:
        print(f"over the bound: mean {sum(over_bound) / len(over_bound):.2f}, worst {max(over_bound):.2f}")
    sys.exit(1 if worse else 0)


if __name__ == "__main__":
    main()
