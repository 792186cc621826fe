#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Draws what fors_scenarios.sh recorded, or prints it as a table.

    scripts/plot_fors.py RECORDS.jsonl -o FILE.svg
    scripts/plot_fors.py RECORDS.jsonl --table         a Markdown table

Throughput is relative to the fastest exchange of the first scenario: the same bytes in all, so the inverse of the seconds.
"""

import argparse
import json
import sys
from pathlib import Path

from campaign_records import call
from plot_style import MARKS, save, setup

LINES = {"fors": ("#010001", "fors"), "stock": ("#020001", "linear shift, OpenSM's ftree or minhop")}


def load(path):
    """{scenario: {"fors" or "stock": record}} in the order of the file."""
    scenarios = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            record = json.loads(line)
            scenarios.setdefault(record["scenario"], {})[record["engine"].split()[0]] = record
        except (json.JSONDecodeError, KeyError) as error:
            sys.exit(f"{path}:{number}: no record of fors_scenarios.sh: {error}")
    if not scenarios or any(set(runs) != set(LINES) for runs in scenarios.values()):
        sys.exit(f"{path}: each scenario has a record of fors and one of OpenSM's own engine; let fors_scenarios.sh finish")
    return scenarios


def relative(scenarios):
    """{scenario: {name: throughput}}"""
    best = min(run["seconds"] for run in next(iter(scenarios.values())).values())
    return {name: {who: best / run["seconds"] for who, run in runs.items()} for name, runs in scenarios.items()}


def print_table(scenarios):
    print("| failures | `fors`: phases / bound | throughput | OpenSM's engine | throughput |")
    print("|---|---|---|---|---|")
    throughput = relative(scenarios)
    for name, runs in scenarios.items():
        fors, stock = runs["fors"], runs["stock"]
        share = throughput[name]
        print(f"| {name} | {fors['phases']} / {fors['bound']} | {share['fors']:.2f} | "
              f"`{stock['engine'].split()[-1]}` | {share['stock']:.2f} |")  # fmt: skip


def plot(scenarios, path):
    setup()
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7.2, 3.2), layout="constrained")
    throughput = relative(scenarios)
    for mark, (who, (color, label)) in zip(MARKS, LINES.items()):
        shares = [throughput[name][who] for name in scenarios]
        axes.plot(range(len(shares)), shares, color=color, marker=mark, linestyle="none", label=label)
    axes.set_xticks(range(len(scenarios)), list(scenarios), rotation=25, ha="right")
    axes.set_ylim(0, 1.05)
    axes.set_ylabel("throughput, relative")
    axes.legend(loc="lower left", frameon=False)
    save(figure, path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", type=Path)
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--table", action="store_true")
    arguments = parser.parse_args()
    if not arguments.table and arguments.output is None:
        parser.error("give -o FILE.svg or --table")
    scenarios = load(arguments.records)
    if arguments.table:
        print_table(scenarios)
    if arguments.output is not None:
        plot(scenarios, arguments.output)


if __name__ == "__main__":
    call(main)
