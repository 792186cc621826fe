#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Throughput of engines by kind of traffic, from records of `espalier simulate --json` that have a label.

    scripts/plot_throughput.py RECORDS [-o PLOT.svg]       a Markdown table, and bars
"""

import argparse
import json

KINDS = [("to storage", lambda t: t.startswith("phase:") and t.endswith("/io")),
         ("from storage", lambda t: t.startswith("phase:") and not t.endswith("/io")),
         ("shifts", lambda t: t.startswith("sp")),
         ("random permutations", lambda t: t.startswith("rp"))]


def read(path):
    """label -> kind -> throughput, both in the order of the file and of KINDS."""
    text, decoder, rows = open(path, encoding="utf-8").read().strip(), json.JSONDecoder(), {}
    while text:
        record, end = decoder.raw_decode(text)
        text = text[end:].lstrip()
        kind = next(name for name, fits in KINDS if fits(record["traffic"]))
        rows.setdefault(record["label"], {})[kind] = record["throughput"]
    return rows


def print_table(rows):
    print("| engine | " + " | ".join(name for name, _ in KINDS) + " |")
    print("|---" * (len(KINDS) + 1) + "|")
    for label, throughput in rows.items():
        print(f"| {label} | " + " | ".join(f"{throughput[name]:.2f}" for name, _ in KINDS) + " |")


def draw(rows, path):
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "espalier"
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 3.2), layout="constrained")
    width = 0.8 / len(rows)
    for i, (label, throughput) in enumerate(rows.items()):
        at = [k + (i - (len(rows) - 1) / 2) * width for k in range(len(KINDS))]
        bars = axes.bar(at, [throughput[name] for name, _ in KINDS], width * 0.92, label=label)
        axes.bar_label(bars, fmt="%.2f", fontsize=7)
    axes.set_xticks(range(len(KINDS)), [name for name, _ in KINDS])
    axes.set_ylabel("share of the hosts' own rate")
    axes.set_ylim(0, 1)
    axes.legend(frameon=False, ncols=len(rows), loc="upper center")
    figure.savefig(path, metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records")
    parser.add_argument("-o", "--output")
    arguments = parser.parse_args()
    rows = read(arguments.records)
    print_table(rows)
    if arguments.output:
        draw(rows, arguments.output)


if __name__ == "__main__":
    main()
