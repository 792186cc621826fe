#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Trees as sites build them: `balanced` against the best of all engines, ours and OpenSM's own, draw by draw.

    scripts/as_built.py ESPALIER CASE... -o FOLDER [--tree SPEC] [--draws 10] [--seed 1001] [--permutations 200]
                        [--engines LIST] [--stock LIST] [--order topology] [--shifts sp] [--jobs 2]

    uneven                                random PGFTs whose leaves have any number of hosts (from uneven_campaign, which
                                          is beside ESPALIER; no --tree)
    whole, swap1, swap2, swap5, stray     --tree, with swapped uplinks, or one link between switches that were no neighbors
    fast-spines, throttled, fast-leaves   --tree, with half of the spines or leaves twice as fast, or one link at 1x

GUIDs of switches are shuffled except in `uneven`. FOLDER keeps fabrics and records; another call does what is missing.

Prints a row per case and engine: means over the draws of the worst shift, the mean over shifts and the median of random
permutations, by what links carry where speeds differ. An engine that lost flows in a draw has a row of the other draws.
Then the draws in which `balanced` is above the best other engine in the worst shift or in the random median; the latter are
judged once more by 20 000 permutations, for a median is a whole number that chance may tip.
"""

import argparse
import math
import statistics
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from campaign_records import delivers, label, load

OWN = "balanced"
OURS = "balanced,dmodc,dmodk,gxmodk,weighted,pqft,vpgft,ftree,sftree,ftree2"
STOCK = "minhop,updn,ftree,sssp,dfsssp"
METRICS = ("mu_sp_max", "mu_sp_mean", "mu_rp_median")
MUST_NOT_LOSE = {"mu_sp_max": "worst shift", "mu_rp_median": "random median"}
MANY = 20000


def modifiers(case, spec):
    """What `espalier modify` does to the tree."""
    below, above = ([int(v) for v in part.split(",")] for part in spec.split(";")[1:3])
    spines, leaves = math.prod(above), math.prod(below[1:])
    return {
        "whole": [],
        "swap1": ["--swapped-uplinks", 1],
        "swap2": ["--swapped-uplinks", 2],
        "swap5": ["--swapped-uplinks", 5],
        "stray": ["--stray-links", 1],
        "fast-spines": ["--fast-spines", spines // 2],
        "throttled": ["--throttled-links", 1],
        "fast-leaves": ["--fast-leaves", leaves // 2],
    }[case]


def fabrics(options):
    """Files CASE.SEED.net in FOLDER, made where they are missing."""
    for case in options.cases:
        if case == "uneven":
            program = options.espalier.resolve().with_name("uneven_campaign")
            subprocess.run([program, str(options.draws), str(options.seed), options.folder], check=True)
            continue
        for seed in range(options.seed, options.seed + options.draws):
            file = options.folder / f"{case}.{seed}.net"
            if file.exists():
                continue
            tree = subprocess.run([options.espalier, "generate", "pgft", options.tree], check=True, capture_output=True)
            command = [options.espalier, "modify", "-", "--shuffle-guids", *modifiers(case, options.tree), "--seed", seed]
            subprocess.run([*map(str, command), "-o", file], check=True, input=tree.stdout)
    wanted = [f for f in options.folder.glob("*.net") if f.name.split(".")[0] in options.cases]
    return sorted(wanted)


def compare(options, files, engines, stock, permutations, records):
    """The records of these fabrics, by processes that share the work."""
    records.mkdir(exist_ok=True)
    command = [options.espalier, "compare", *files, "--engines", engines, "--host-order", options.order, "-j", 1]
    command += ["--patterns", f"{options.shifts},rp:{permutations}", "--json", records]
    command += ["--stock", stock] if stock else []
    shards = [[*map(str, command), "--shard", f"{i}/{options.jobs}"] for i in range(options.jobs)]
    running = [subprocess.Popen(s, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for s in shards]
    for process in running:
        told = process.communicate()[1]
        if process.returncode != 0:
            print(told, end="", file=sys.stderr)
    return load([records])


def by_case(records):
    """case -> engine -> seed -> record, of runs in which all flows of hosts arrived."""
    cases = defaultdict(lambda: defaultdict(dict))
    for r in filter(delivers, records):
        case, seed, _ = r["fabric"].split(".")
        cases[case][label(r)][int(seed)] = r
    return cases


def figure(record, metric):
    return record.get(f"{metric}_per_capacity", record[metric])


def losses(engines, metric):
    """Of each draw in which another engine is better: seed, that engine, its figure, ours."""
    for seed, own in sorted(engines[OWN].items()):
        theirs = {e: figure(runs[seed], metric) for e, runs in engines.items() if e != OWN and seed in runs}
        best = min(theirs, key=theirs.get, default=None)
        if best is not None and theirs[best] < figure(own, metric):
            yield seed, best, theirs[best], figure(own, metric)


def table(cases):
    yield "| case | engine | draws | worst shift | mean over shifts | random permutations |"
    yield "|---|---|---|---|---|---|"
    for case, engines in cases.items():
        for engine, runs in engines.items():
            means = " | ".join(f"{statistics.mean(figure(r, m) for r in runs.values()):.2f}" for m in METRICS)
            yield f"| {case} | {engine} | {len(runs)} | {means} |"


def verdicts(cases):
    for case, engines in cases.items():
        for metric, name in MUST_NOT_LOSE.items():
            lost = list(losses(engines, metric))
            yield f"{case}: {OWN} above the best in the {name} in {len(lost)} of {len(engines[OWN])} draws"
            yield from (f"  {seed}: {best} {theirs:g}, {OWN} {own:g}" for seed, best, theirs, own in lost)


def look_closer(options, cases):
    """The draws that are lost in the random median, with the engines that are better there, by many permutations."""
    engines, stock, files = {OWN}, set(), []
    for case, runs in cases.items():
        for seed, best, _, _ in losses(runs, "mu_rp_median"):
            (stock if best.startswith("OpenSM ") else engines).add(best.removeprefix("OpenSM "))
            files.append(options.folder / f"{case}.{seed}.net")
    if not files:
        return
    again = compare(options, files, ",".join(sorted(engines)), ",".join(sorted(stock)), MANY, options.folder / "closer")
    print(f"\nThese draws once more, {MANY} permutations:")
    for case, runs in by_case(again).items():
        for seed, best, theirs, own in losses(runs, "mu_rp_median"):
            means = [runs[e][seed]["mu_rp_mean"] for e in (best, OWN)]
            print(f"  {case} {seed}: {best} {theirs:g} (mean {means[0]:.3f}), {OWN} {own:g} (mean {means[1]:.3f})")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("espalier", type=Path)
    parser.add_argument("cases", nargs="+")
    parser.add_argument("-o", "--folder", type=Path, required=True)
    parser.add_argument("--tree")
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1001)
    parser.add_argument("--permutations", type=int, default=200)
    parser.add_argument("--engines", default=OURS)
    parser.add_argument("--stock", default=STOCK)
    parser.add_argument("--order", default="topology")
    parser.add_argument("--shifts", default="sp")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    cases = by_case(compare(options, fabrics(options), options.engines, options.stock, options.permutations, options.folder / "records"))
    print("\n".join([*table(cases), "", *verdicts(cases)]))
    look_closer(options, cases)


if __name__ == "__main__":
    main()
