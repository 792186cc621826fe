#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Says which engines are best, good and worst in a campaign of `espalier compare`, as Gliksberg's Tables 5.1 and 5.2 do.

    scripts/rank_engines.py RECORDS...        two Markdown tables for each fabric

What the thesis tells by eye from its figures is counted here. In every run (fabric, damage, throw) the congestion risk of
an engine is divided by the least of all engines in that run. The geometric mean of these quotients over all runs is the
engine's score: 1 is the best in every run, 2 is twice as much congestion as the best on average.

    best      a score of at most 1.1          good      at most 1.3          worst      2 and more

If no engine of a class has at most 1.1, its least score is called best, if no engine has 2, its greatest worst, both in
brackets. Only runs count in which all flows of hosts arrive; an engine that lost flows or declined in some has
their number behind its name.
"""

import argparse
import math
from collections import defaultdict

from plot_campaign import delivers, label, load, plain, print_table

METRICS = {"mu_rp_median": "random permutations", "mu_sp_max": "shifts", "mu_a2a": "all to all"}
BEST, GOOD, WORST = 1.1, 1.3, 2.0
# The thesis's words: engines that ask nothing of the topology, and those that are made for fat trees.
AGNOSTIC = {"minhop", "sssp", "dfsssp", "nue", "lash", "bfs-dmodc", "bfs-ftree", "bfs-ftree2", "bfs-ftree-random", "bfs-random"}


def run_of(record):
    return record["damage"], record["amount"], record["throw"]


def scores_of(records, metric):
    """Name -> (score, number of runs), of the runs in which anybody was measured."""
    risks = defaultdict(dict)
    for r in records:
        if delivers(r) and r.get(metric, 0) > 0:
            risks[run_of(r)][label(r)] = r[metric]
    logs = defaultdict(list)
    for of_run in risks.values():
        least = min(of_run.values())
        for name, risk in of_run.items():
            logs[name].append(math.log(risk / least))
    return {name: (math.exp(sum(all_) / len(all_)), len(all_)) for name, all_ in logs.items()}


def engine_rows(records):
    """A row for each engine: what it does on the whole fabric and at its worst, and its scores."""
    scores = {metric: scores_of(records, metric) for metric in METRICS}
    names = {label(r): r for r in records}
    order = sorted(names, key=lambda n: (sum(math.log(s[n][0]) for s in scores.values() if n in s) if any(n in s for s in scores.values()) else math.inf, n))
    for name in order:
        runs = [r for r in records if label(r) == name]
        fine = [r for r in runs if delivers(r)]
        row = {"engine": name, "runs": f"{len(fine)}" if len(fine) == len(runs) else f"{len(fine)} of {len(runs)}"}
        for metric, words in METRICS.items():
            whole = [r[metric] for r in fine if r["amount"] == 0 and metric in r]
            seen = [r[metric] for r in fine if metric in r]
            row[f"{words}: whole"] = plain(whole[0]) if whole else ""
            row["most"] = plain(max(seen)) if seen else ""
            row["score"] = f"{scores[metric][name][0]:.2f}" if name in scores[metric] else ""
            # Columns of the same heading, told apart for the dictionary only.
            row[f"{metric} most"], row[f"{metric} score"] = row.pop("most"), row.pop("score")
        yield row


def chosen(scores, names, is_chosen, otherwise):
    """Names in the order of their scores, or the one that comes nearest, in brackets."""
    mine = sorted((scores[n][0], n) for n in names if n in scores)
    if not mine:
        return ""
    picked = [n for score, n in mine if is_chosen(score)]
    return ", ".join(picked) if picked else f"({otherwise(mine)[1]})"


def summary_rows(records):
    names = sorted({label(r) for r in records})
    engine_of = {label(r): r["engine"] for r in records}
    for words, is_of_class in (("agnostic", True), ("topology-specific", False)):
        of_class = [n for n in names if (engine_of[n] in AGNOSTIC) == is_of_class]
        row = {"": words}
        for metric in ("mu_rp_median", "mu_sp_max"):
            scores = scores_of(records, metric)
            row[f"best for {METRICS[metric]}"] = chosen(scores, of_class, lambda s: s <= BEST, min)
            good = sorted((scores[n][0], n) for n in of_class if n in scores and BEST < scores[n][0] <= GOOD)
            row[f"good for {METRICS[metric]}"] = ", ".join(n for _, n in good)
            row[f"worst for {METRICS[metric]}"] = chosen(scores, of_class, lambda s: s >= WORST, max)
        yield row


def headings(rows):
    """The same rows under the headings that are printed."""
    return [{key.replace("mu_rp_median ", "").replace("mu_sp_max ", " ").replace("mu_a2a ", "  "): v for key, v in r.items()} for r in rows]


def main():
    parser = argparse.ArgumentParser(description="Says which engines are best, good and worst in a campaign.")
    parser.add_argument("records", nargs="+", help="files of records, or folders of *.jsonl")
    records = load(parser.parse_args().records)
    for fabric in sorted({r["fabric"] for r in records}):
        of_fabric = [r for r in records if r["fabric"] == fabric]
        print(f"{fabric.removesuffix('.net')}:\n")
        print_table(list(summary_rows(of_fabric)))
        print()
        print_table(headings(engine_rows(of_fabric)))
        print()


if __name__ == "__main__":
    main()
