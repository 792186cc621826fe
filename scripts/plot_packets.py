#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Latency and throughput against load, and throughput by traffic, from records of `espalier simulate --packets --json`.

    for load in 0.1 0.2 0.3; do espalier simulate NET --packets --policy olm --load $load --json; done > RECORDS
    scripts/plot_packets.py RECORDS                        a Markdown table
    scripts/plot_packets.py RECORDS -o LINES.svg           latency and throughput against load, for each traffic
    scripts/plot_packets.py RECORDS --bars -o BARS.svg     the most throughput of each policy, by traffic

A record may have a "label" to be called by in place of its policy. Latencies of runs that were not steady are left out:
they depend on how long the run was.
"""

import argparse
import json
import sys
from pathlib import Path

from campaign_records import call, print_table
from plot_style import LINES, save, setup

NEEDED = ("policy", "traffic", "offered", "throughput", "latency_mean", "steady")


def read(path):
    """traffic -> policy -> records by load."""
    traffics = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            record = json.loads(line)
            missing = [key for key in NEEDED if key not in record]
        except ValueError:
            missing = NEEDED
        if missing:
            sys.exit(f"{path}:{number}: no record of a load without end, which has {', '.join(NEEDED)}")
        name = record.get("label", record["policy"])
        traffics.setdefault(record["traffic"], {}).setdefault(name, []).append(record)
    for policies in traffics.values():
        for records in policies.values():
            records.sort(key=lambda r: r["offered"])
    if not traffics:
        sys.exit(f"{path}: no records; see scripts/plot_packets.py --help")
    return traffics


def names_of(traffics):
    return list(dict.fromkeys(name for policies in traffics.values() for name in policies))


def draw_lines(traffics, path):
    setup()
    import matplotlib.pyplot as plt

    figure, rows = plt.subplots(2, len(traffics), figsize=(1.2 + 3.4 * len(traffics), 5.6), squeeze=False, layout="constrained")
    colors = dict(zip(names_of(traffics), LINES))
    for (upper, lower), (traffic, policies) in zip(rows.T, traffics.items()):
        for name, records in policies.items():
            steady = [r for r in records if r["steady"]]
            style = {"color": colors[name], "marker": "o", "markersize": 3, "label": name, "capsize": 2}
            upper.errorbar([r["offered"] for r in steady], [r["latency_mean"] for r in steady],
                           [r.get("latency_ci95", 0) for r in steady], **style)  # fmt: skip
            lower.errorbar([r["offered"] for r in records], [r["throughput"] for r in records],
                           [r.get("throughput_ci95", 0) for r in records], **style)  # fmt: skip
        upper.set_title(traffic)
        lower.set_xlabel("offered, phits per node and cycle")
        for axes in (upper, lower):
            axes.set_ylim(bottom=0)
    rows[0][0].set_ylabel("latency, cycles")
    rows[1][0].set_ylabel("throughput, phits per node and cycle")
    rows[1][-1].legend(*rows[1][0].get_legend_handles_labels(), frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    save(figure, path)


def most(records):
    return max(records, key=lambda r: r["throughput"])


def draw_bars(traffics, path):
    setup()
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(1.5 + 1.7 * len(traffics), 3.2), layout="constrained")
    names = names_of(traffics)
    width = 0.8 / len(names)
    for i, (name, color) in enumerate(zip(names, LINES)):
        bars = [(k + (i - (len(names) - 1) / 2) * width, most(policies[name]))
                for k, policies in enumerate(traffics.values()) if name in policies]  # fmt: skip
        drawn = axes.bar([at for at, _ in bars], [r["throughput"] for _, r in bars], width * 0.92, color=color, label=name,
                         yerr=[r.get("throughput_ci95", 0) for _, r in bars], error_kw={"elinewidth": 0.8})  # fmt: skip
        axes.bar_label(drawn, fmt="%.2f", fontsize=6)
    axes.set_xticks(range(len(traffics)), list(traffics))
    axes.set_ylabel("phits per node and cycle")
    axes.legend(frameon=False, ncols=len(names), fontsize=8, loc="lower center", bbox_to_anchor=(0.5, 1))
    save(figure, path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", type=Path)
    parser.add_argument("-o", "--output", type=Path, help="an SVG file")
    parser.add_argument("--bars", action="store_true", help="bars instead of lines")
    arguments = parser.parse_args()
    traffics = read(arguments.records)
    if len(names_of(traffics)) > len(LINES):
        sys.exit(f"{arguments.records}: more than {len(LINES)} policies; plot fewer at a time")
    print_table([{"traffic": traffic, "policy": name, "loads": str(len(records)), "throughput": f"{most(records)['throughput']:.3f}",
                  "latency at the least load": f"{records[0]['latency_mean']:.0f}" if records[0]["steady"] else ""}
                 for traffic, policies in traffics.items() for name, records in policies.items()])  # fmt: skip
    if arguments.output:
        (draw_bars if arguments.bars else draw_lines)(traffics, arguments.output)


if __name__ == "__main__":
    call(main)
