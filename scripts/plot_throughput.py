#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Throughput of engines by kind of traffic, from records of `espalier simulate --json` that have a label.

    scripts/plot_throughput.py RECORDS [-o PLOT.svg]       a Markdown table, and bars
"""

import argparse
import json
from pathlib import Path

from campaign_records import print_table
from plot_style import LINES, save, setup

KINDS = [("to storage", lambda t: t.startswith("phase:") and not t.endswith(" back")),
         ("from storage", lambda t: t.endswith(" back")),
         ("shifts", lambda t: t.startswith("sp")),
         ("random permutations", lambda t: t.startswith("rp"))]


def read(path):
    """label -> kind -> throughput, both in the order of the file and of KINDS."""
    rows = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        kind = next(name for name, fits in KINDS if fits(record["traffic"]))
        rows.setdefault(record["label"], {})[kind] = record["throughput"]
    return rows


def draw(rows, path):
    setup()
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 3.2), layout="constrained")
    width = 0.8 / len(rows)
    for i, ((label, throughput), color) in enumerate(zip(rows.items(), LINES)):
        at = [k + (i - (len(rows) - 1) / 2) * width for k in range(len(KINDS))]
        bars = axes.bar(at, [throughput[name] for name, _ in KINDS], width * 0.92, color=color, label=label)
        axes.bar_label(bars, fmt="%.2f", fontsize=7)
    axes.set_xticks(range(len(KINDS)), [name for name, _ in KINDS])
    axes.set_ylabel("share of the hosts' own rate")
    axes.set_ylim(0, 1.15)
    axes.legend(frameon=False, ncols=len(rows), loc="upper center")
    save(figure, path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", type=Path)
    parser.add_argument("-o", "--output", type=Path)
    arguments = parser.parse_args()
    rows = read(arguments.records)
    print_table([{"engine": label} | {name: f"{throughput[name]:.2f}" for name, _ in KINDS} for label, throughput in rows.items()])
    if arguments.output:
        draw(rows, arguments.output)


if __name__ == "__main__":
    main()
