#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""How an engine does against the best of all others, case by case, from the records of `espalier compare`.

    scripts/compare_to_best.py ENGINE RECORDS...       a Markdown table

A case is a fabric and an amount of damage. The figures are means over the trials that ENGINE has. The best other is the
best in that metric alone, over the trials that both have, so that it may be another engine in each column; it has to
deliver all flows, and a stock engine that declined does not count. In brackets: ENGINE's mean over the same trials as
a share of the best other's, and the worst share of any trial.
"""

import statistics
import sys
from collections import defaultdict

from campaign_records import call, delivers, label, load, name_of, removed

METRICS = {"mu_sp_max": "worst shift", "mu_sp_mean": "mean over shifts", "mu_rp_median": "random permutations"}


def by_case(records):
    """(fabric, damage, amount) -> label -> trial -> record, of runs in which all flows arrived."""
    cases = defaultdict(lambda: defaultdict(dict))
    for r in filter(delivers, records):
        cases[r["fabric"], r["damage"], r["amount"]][label(r)][r["seed"] + r["trial"]] = r
    return cases


def cell(metric, own, others):
    """ "8.1 (0.62, 0.71; dmodc)": own mean, share of the best other, worst share of a trial, who that is."""
    text = f"{statistics.mean(r[metric] for r in own.values()):.3g}"
    best = None
    for name, runs in others.items():
        common = sorted(own.keys() & runs.keys())
        if not common or any(metric not in runs[t] for t in common):
            continue
        theirs = statistics.mean(runs[t][metric] for t in common)
        ours = statistics.mean(own[t][metric] for t in common)
        worst = max(own[t][metric] / runs[t][metric] for t in common)
        if best is None or ours / theirs > best[0]:
            best = (ours / theirs, worst, name)
    return text if best is None else f"{text} ({best[0]:.2f}, {best[1]:.2f}; {best[2]})"


def table(engine, records):
    """The lines of the table; cases without a run of the engine are left out."""
    yield "| fabric | removed | " + " | ".join(METRICS.values()) + " |"
    yield "|---" * (2 + len(METRICS)) + "|"
    for (fabric, damage, amount), runs in by_case(records).items():
        if engine not in runs:
            continue
        others = {name: of for name, of in runs.items() if name != engine}
        cells = [cell(metric, runs[engine], others) for metric in METRICS]
        yield "| " + " | ".join([name_of(fabric), removed(amount, damage) if amount else "nothing", *cells]) + " |"


def main():
    if len(sys.argv) < 3 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    print("\n".join(table(sys.argv[1], load(sys.argv[2:]))))


if __name__ == "__main__":
    call(main)
