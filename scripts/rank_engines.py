#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Says which engines are best, good and worst in a campaign of `espalier compare`, as Gliksberg's Tables 5.1 and 5.2 do.

    scripts/rank_engines.py RECORDS...        two Markdown tables for each fabric

What the thesis tells by eye from its figures is counted here. In every run (fabric, damage, trial) the congestion risk of
an engine is divided by the least of all engines in that run. The geometric mean of these quotients over all runs is the
engine's score: 1 is the best in every run, 2 is twice as much congestion as the best on average.

    best    a score of at most 1.1        good    at most 1.3        worst    2 and more

Where no engine of a class has that little, or that much, the one that comes nearest stands in brackets. Only runs count in
which all flows of hosts arrive by the engine that was asked; their number is in the second table. There a cell is the risk
on the whole fabric / the most of all runs / the score. Engines that were run for fewer damages than others are
compared in these only.
"""

import argparse
import math
import statistics
from collections import defaultdict

from campaign_records import call, delivers, label, load, plain, print_table

METRICS = {"mu_rp_median": "random permutations", "mu_sp_max": "shifts", "mu_a2a": "all to all"}
BEST, GOOD, WORST = 1.1, 1.3, 2.0
# The thesis's words: engines that ask nothing of the topology, and those that are made for fat trees.
AGNOSTIC = {"minhop", "sssp", "dfsssp", "nue", "lash"}


def is_agnostic(name):
    return name in AGNOSTIC or name.startswith("bfs-")


def run_of(record):
    return record["damage"], record["amount"], record["seed"] + record["trial"]


def scores_of(records, metric):
    """Name -> score, of the engines that were measured in any run."""
    risks = defaultdict(dict)
    for r in records:
        if delivers(r) and r.get(metric, 0) > 0:
            risks[run_of(r)][label(r)] = r[metric]
    quotients = defaultdict(list)
    for of_run in risks.values():
        for name, risk in of_run.items():
            quotients[name].append(risk / min(of_run.values()))
    return {name: statistics.geometric_mean(of_engine) for name, of_engine in quotients.items()}


def engine_rows(records):
    """A row for each engine, the best first: of each metric the whole fabric's, the most of all runs, and the score."""
    scores = {metric: scores_of(records, metric) for metric in METRICS}

    def total(name):
        own = [of[name] for of in scores.values() if name in of]
        return statistics.geometric_mean(own) if own else math.inf

    for name in sorted({label(r) for r in records}, key=lambda n: (total(n), n)):
        runs = [r for r in records if label(r) == name]
        fine = [r for r in runs if delivers(r)]
        row = {"engine": name, "runs": f"{len(fine)}" if len(fine) == len(runs) else f"{len(fine)} of {len(runs)}"}
        for metric, words in METRICS.items():
            seen = [r[metric] for r in fine if metric in r]
            whole = [plain(r[metric]) for r in fine if metric in r and r["amount"] == 0]
            row[words] = f"{whole[0] if whole else '-'} / {plain(max(seen))} / {scores[metric][name]:.2f}" if seen else ""
        yield row


def chosen(scores, names, is_chosen, otherwise):
    """Names in the order of their scores, or the one that comes nearest, in brackets."""
    mine = sorted((scores[n], n) for n in names if n in scores)
    if not mine:
        return ""
    picked = [n for score, n in mine if is_chosen(score)]
    return ", ".join(picked) if picked else f"({otherwise(mine)[1]})"


def summary_rows(records):
    names = sorted({label(r) for r in records})
    engine_of = {label(r): r["engine"] for r in records}
    for words, is_of_class in (("agnostic", True), ("topology-specific", False)):
        of_class = [n for n in names if is_agnostic(engine_of[n]) == is_of_class]
        row = {"": words}
        for metric in ("mu_rp_median", "mu_sp_max"):
            scores = scores_of(records, metric)
            row[f"best for {METRICS[metric]}"] = chosen(scores, of_class, lambda s: s <= BEST, min)
            good = sorted((scores[n], n) for n in of_class if n in scores and BEST < scores[n] <= GOOD)
            row[f"good for {METRICS[metric]}"] = ", ".join(n for _, n in good)
            row[f"worst for {METRICS[metric]}"] = chosen(scores, of_class, lambda s: s >= WORST, max)
        yield row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", nargs="+", help="files of records, or folders of *.jsonl")
    records = load(parser.parse_args().records)
    for fabric in sorted({r["fabric"] for r in records}):
        of_fabric = [r for r in records if r["fabric"] == fabric]
        print(f"{fabric.removesuffix('.net')}:\n")
        print_table(list(summary_rows(of_fabric)))
        print()
        print_table(list(engine_rows(of_fabric)))
        print()


if __name__ == "__main__":
    call(main)
