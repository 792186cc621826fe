#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Draws what `espalier compare` recorded, or prints it as a table.

    scripts/plot_campaign.py RECORDS... -o FOLDER      SVG files and FOLDER/summary.csv
    scripts/plot_campaign.py RECORDS... -o FOLDER --only "dmodc,OpenSM sssp"    pictures of these alone
    scripts/plot_campaign.py RECORDS... -o FOLDER --also SUMMARY.csv    with the lines of an earlier summary besides
    scripts/plot_campaign.py RECORDS... --table        a Markdown table; of several trials the mean, and in parentheses the
                                                       least and the greatest, as in summary.csv

RECORDS are files of records or folders of *.jsonl. An earlier summary gives least and greatest of the trials to three
digits, for the engines that RECORDS do not have; OpenSM's need not run again. The pictures, each where there are
records for it:

    damage_KIND.svg   congestion risk against the number of things removed (shape of Gliksberg 2022, Figures 4.6, 4.7);
                      several trials: their median, and a band from the least to the greatest; for random permutations
                      it spans their 1st and 39th 40-quantile as well. Several fabrics:
                      FABRIC_damage_KIND.svg, FABRIC without .net
    run_time.svg      processor seconds against hosts, both logarithmic (shape of Figure 4.5), of the fabrics that were
                      not damaged

A FOLDER whose summary.csv is about other fabrics is left as it is.

A filled mark is a sound run; in a hollow one all flows of hosts arrive, but a credit loop can form, or switches do not
reach one another. Runs in which flows got lost, or OpenSM went on with another engine, have no mark. Dashed lines are
OpenSM's own engines. Colors can be told apart by the color-blind, differ between pages of a light and of a dark
scheme (a style sheet in the SVG), and are not needed: marks differ, and each line has its name at its end.
"""

import argparse
import csv
import math
import statistics
import sys
from collections import defaultdict
from pathlib import Path

from campaign_records import (call, delivers, label, load, name_of, of_summary, only, plain, print_table, rest_of,
                              summary)  # fmt: skip
from plot_style import LINES, MARKS, save, setup

METRICS = {"mu_sp_max": "worst shift", "mu_rp_median": "random permutations (median)", "mu_a2a": "all to all"}
# What the band spans besides the trials: the thesis's 1st and 39th 40-quantile.
QUANTILES = {"mu_rp_median": ("mu_rp_q40_1", "mu_rp_q40_39")}


def apart(values, least):
    """Places for labels: `least` apart, those that would meet centered on where they belong. `values` ascend."""
    clusters = []
    for value in values:
        clusters.append([value])
        while len(clusters) > 1:
            below, above = ((statistics.mean(c), (len(c) - 1) / 2 * least) for c in clusters[-2:])
            if above[0] - above[1] >= below[0] + below[1] + least:
                break
            clusters[-2:] = [clusters[-2] + clusters[-1]]
    return [statistics.mean(c) + (i - (len(c) - 1) / 2) * least for c in clusters for i in range(len(c))]


def points_of(runs_by_x, value, spread_of=lambda r: ()):
    """x -> records becomes a list of (x, [values], whether all are sound, [values and their spreads]), x ascending."""
    points = []
    for x, runs in sorted(runs_by_x.items()):
        values = [value(r) for r in runs]
        points.append((x, values, all(r["sound"] for r in runs), values + [v for r in runs for v in spread_of(r)]))
    return points


def draw_lines(axes, lines, styles):
    """lines: name -> points_of(...). The names stand at the ends."""
    ends = []
    for name, points in sorted(lines.items()):
        color, mark, dashes = styles[name]
        x = [p[0] for p in points]
        middle = [statistics.median(p[1]) for p in points]
        axes.plot(x, middle, color=color, linewidth=1.6, linestyle=dashes)
        if any(len(p[3]) > 1 for p in points):
            low, high = ([bound(p[3]) for p in points] for bound in (min, max))
            axes.fill_between(x, low, high, color=color, alpha=0.15, linewidth=0)
        # A hollow mark is filled with nothing: no color is that of both pages.
        for is_sound, fill in ((True, color), (False, "none")):
            marked = [(a, v) for a, v, p in zip(x, middle, points) if p[2] == is_sound]
            if marked:
                axes.plot(*zip(*marked), color=color, marker=mark, markerfacecolor=fill, linestyle="none")
        ends.append((math.log(middle[-1]), x[-1], name, color))
    low, high = (math.log(y) for y in axes.get_ylim())
    ends.sort()
    for place, (_, x, name, color) in zip(apart([e[0] for e in ends], (high - low) * 0.06), ends):
        where = (x, math.exp(place))
        axes.annotate(name, where, xytext=(8, -3), textcoords="offset points", color=color, annotation_clip=False)


def logarithmic_ticks(low, high):
    """Places and words; closer together where less than a factor of ten is shown."""
    digits = (1, 2, 5) if high / low > 10 else (1, 1.2, 1.5, 2, 3, 4, 5, 6, 8)
    ticks = [d * 10**power for power in range(-6, 10) for d in digits if low <= d * 10**power <= high]
    return ticks, [plain(tick) for tick in ticks]


def legible_ticks(amounts):
    """Of ascending amounts on the shifted logarithmic axis those whose labels have room; the last always."""
    room = math.log2(1 + amounts[-1]) * 0.034 * len(plain(amounts[-1]))
    ticks = amounts[-1:]
    for amount in reversed(amounts[:-1]):
        if math.log2(1 + ticks[0]) - math.log2(1 + amount) >= room:
            ticks.insert(0, amount)
    return ticks


def styles_of(records):
    """Color, mark and dashes of each line; ours first."""
    names = sorted({(r["via"] == "opensm", label(r)) for r in records})
    colors = list(LINES)
    return {name: (colors[i % len(colors)], MARKS[i % len(MARKS)], "--" if is_stock else "-")
            for i, (is_stock, name) in enumerate(names)}  # fmt: skip


def damage_lines(records, kind, metric):
    runs = defaultdict(lambda: defaultdict(list))
    for r in records:
        if r["damage"] in (kind, "none") and delivers(r) and r.get(metric, 0) > 0:
            runs[label(r)][r["amount"]].append(r)
    quantiles = QUANTILES.get(metric, ())
    spread_of = lambda r: [r[q] for q in quantiles if q in r]
    return {name: points_of(by_amount, lambda r: r[metric], spread_of) for name, by_amount in runs.items()}


def plot_damage(records, kind, path, styles):
    import matplotlib.pyplot as plt
    import numpy

    metrics = [m for m in METRICS if damage_lines(records, kind, m)]
    if not metrics:
        return
    of = max(r["of"] for r in records if r["damage"] == kind)
    amounts = sorted({r["amount"] for r in records if r["damage"] in (kind, "none")})
    figure, rows = plt.subplots(1, len(metrics), figsize=(4.8 * len(metrics), 3.6), squeeze=False)
    for axes, metric in zip(rows[0], metrics):
        # The shifted logarithm of the thesis: no damage has a place too.
        axes.set_xscale("function", functions=(lambda a: numpy.log2(1 + numpy.maximum(a, -0.9)), lambda x: 2**x - 1))
        axes.set_yscale("log")
        axes.set_xticks(legible := legible_ticks(amounts), [plain(a) for a in legible])
        axes.set_title(METRICS[metric])
        axes.set_xlabel(f"{kind} removed, of {of}")
        draw_lines(axes, damage_lines(records, kind, metric), styles)
        axes.set_yticks(*logarithmic_ticks(*axes.get_ylim()))
        axes.minorticks_off()
    rows[0][0].set_ylabel("congestion risk")
    figure.tight_layout(w_pad=7)
    figure.subplots_adjust(right=0.87)
    save(figure, path)
    plt.close(figure)


def plot_run_time(records, path, styles):
    import matplotlib.pyplot as plt
    from matplotlib.ticker import FuncFormatter

    runs = defaultdict(lambda: defaultdict(list))
    for r in records:
        if r["outcome"] == "routed" and r["engine_used"] == r["engine"] and r.get("cpu_ms", 0) > 0:
            runs[label(r)][r["hosts"]].append(r)
    sizes = sorted({hosts for by_hosts in runs.values() for hosts in by_hosts})
    if len(sizes) < 2:
        return
    figure, axes = plt.subplots(figsize=(6.4, 3.8))
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xticks(sizes, [plain(s) for s in sizes])
    axes.minorticks_off()
    axes.yaxis.set_major_formatter(FuncFormatter(plain))
    axes.set_xlabel("hosts")
    axes.set_ylabel("processor seconds, all threads")
    draw_lines(axes, {name: points_of(by, lambda r: r["cpu_ms"] / 1000) for name, by in runs.items()}, styles)
    figure.tight_layout(pad=1.5)
    figure.subplots_adjust(right=0.77)
    save(figure, path)
    plt.close(figure)


def plot(records, folder):
    setup()
    folder.mkdir(parents=True, exist_ok=True)
    styles = styles_of(records)
    damaged = sorted({r["fabric"] for r in records if r["amount"] > 0})
    for fabric in damaged:
        prefix = "" if len(damaged) == 1 else name_of(fabric) + "_"
        of_fabric = [r for r in records if r["fabric"] == fabric]
        for kind in sorted({r["damage"] for r in of_fabric} - {"none"}):
            plot_damage(of_fabric, kind, folder / f"{prefix}damage_{kind}.svg", styles)
    plot_run_time([r for r in records if r["fabric"] not in damaged], folder / "run_time.svg", styles)


def refuse_to_replace_others(file, rows):
    """Unless the summary of an earlier call is about the same fabrics."""
    others = set() if not file.exists() else {row["fabric"] for row in rest_of(file, [])} - {row["fabric"] for row in rows}
    if others:
        sys.exit(f"{file} is about {', '.join(sorted(others))}: give another folder")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", nargs="+", help="files of records, or folders of *.jsonl")
    parser.add_argument("-o", "--output", type=Path, help="folder for the pictures and summary.csv")
    parser.add_argument("--only", help="names of lines, comma-separated; default: all")
    parser.add_argument("--also", type=Path, help="a summary.csv, whose other lines are drawn besides")
    parser.add_argument("--table", action="store_true", help="print a Markdown table")
    options = parser.parse_args()
    if not options.table and options.output is None:
        parser.error("give -o FOLDER or --table")
    records = load(options.records)
    rows = list(summary(records))
    if options.table:
        print_table(rows)
    if options.output is not None:
        rest = rest_of(options.also, rows) if options.also else []
        refuse_to_replace_others(options.output / "summary.csv", rows + rest)
        plot(only([*records, *of_summary(rest, records)], options.only), options.output)
        with open(options.output / "summary.csv", "w", newline="", encoding="utf-8") as out:
            writer = csv.DictWriter(out, rows[0], lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows + rest)
        print(out.name)


if __name__ == "__main__":
    call(main)
