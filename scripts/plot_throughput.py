#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Throughput of engines by kind of traffic, from records of `espalier simulate --json` that have a label.

    scripts/plot_throughput.py RECORDS [-o PLOT.svg]       a Markdown table, and bars

`scripts/type_throughput.sh` makes such records. Traffic is phases between types of nodes, and back, shifts and random
permutations: simulate --patterns phase:compute:io,sp,rp:200.
"""

import argparse
import json
import sys
from pathlib import Path

from campaign_records import call, print_table
from plot_style import LINES, save, setup

KINDS = [("to storage", lambda t: t.startswith("phase:") and not t.endswith(" back")),
         ("from storage", lambda t: t.endswith(" back")),
         ("shifts", lambda t: t.startswith("sp")),
         ("random permutations", lambda t: t.startswith("rp"))]


def read(path):
    """label -> kind -> throughput, both in the order of the file and of KINDS."""
    rows = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            record = json.loads(line)
            kind = next(name for name, fits in KINDS if fits(record["traffic"]))
            rows.setdefault(record["label"], {})[kind] = record["throughput"]
        except (ValueError, KeyError, TypeError, StopIteration):
            sys.exit(f"{path}:{number}: no record with a label, the throughput and traffic of {', '.join(k for k, _ in KINDS)}")
    if not rows:
        sys.exit(f"{path}: no records; see scripts/plot_throughput.py --help")
    if len(rows) > len(LINES):
        sys.exit(f"{path}: more than {len(LINES)} labels; plot fewer at a time")
    return rows


def draw(rows, path):
    setup()
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 3.2), layout="constrained")
    width = 0.8 / len(rows)
    for i, ((label, throughput), color) in enumerate(zip(rows.items(), LINES)):
        drawn = [(k + (i - (len(rows) - 1) / 2) * width, throughput[name]) for k, (name, _) in enumerate(KINDS) if name in throughput]
        bars = axes.bar([at for at, _ in drawn], [share for _, share in drawn], width * 0.92, color=color, label=label)
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
    print_table([{"engine": label} | {kind: f"{throughput[kind]:.2f}" if kind in throughput else "" for kind, _ in KINDS}
                 for label, throughput in rows.items()])
    if arguments.output:
        draw(rows, arguments.output)


if __name__ == "__main__":
    call(main)
