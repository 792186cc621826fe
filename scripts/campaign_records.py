# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What `espalier compare` recorded: read, grouped by run and trial, and summed up. For plot_campaign.py and the other
scripts that compare engines."""

import csv
import json
import re
import statistics
import sys
from collections import defaultdict
from pathlib import Path

RUN = ("fingerprint", "damage", "amount", "trial", "seed", "engine", "via")
# What all records of one name of a fabric must agree on: otherwise they are no trials of the same.
ALIKE = {"fingerprint": "fabrics of this name", "order": "orders of hosts", "lid_offset": "LID offsets",
         "types": "files of node types"}  # fmt: skip


def call(main):
    """Runs a script: of a file that cannot be read or written it tells in one line."""
    try:
        main()
    except OSError as error:
        if error.filename is None:
            raise
        sys.exit(f"{error.filename}: {error.strerror}")


def removed(amount, kind):
    """Damage in words: "none", "1 switch", "3 links"."""
    if amount == 1:
        kind = kind.removesuffix("es" if kind == "switches" else "s")
    return f"{amount} {kind}" if amount else "none"


def name_of(fabric):
    return fabric.removesuffix(".net")


def refuse_others(record, first, where):
    """Unless this record and the first of its fabric are about the same."""
    for field, words in ALIKE.items():
        if record.get(field) != first.get(field):
            sys.exit(f"{where}: {record['fabric']}: records of different {words}; give them one at a time")


def load(paths):
    """The records of files and folders in a stable order; several of one run, with different patterns, are one."""
    files = [f for p in map(Path, paths) for f in (sorted(p.glob("*.jsonl")) if p.is_dir() else [p])]
    records, first = {}, {}
    for file in files:
        text = file.read_text(encoding="utf-8")
        for number, line in enumerate(text[: text.rfind("\n") + 1].splitlines(), start=1):  # not a half-written end
            try:
                record = json.loads(line)
                if "throw" in record:  # what older records call the trial
                    record["trial"] = record.pop("throw")
                run = tuple(str(record[field]) for field in RUN)
                refuse_others(record, first.setdefault(record["fabric"], record), f"{file}:{number}")
                if record["outcome"] == "routed" or run not in records:  # one that failed may have been repeated
                    records[run] = records.get(run, {}) | record
            except (ValueError, KeyError, TypeError):
                sys.exit(f"{file}:{number}: this is not a record of a campaign")
    if not records:
        sys.exit("there is no record in these files")

    def place(r):
        damage = (r["amount"] > 0, r["damage"], r["amount"], r["trial"])
        return r["fabric"], damage, r["via"] == "opensm", r["engine"], r["via"]

    return sorted(records.values(), key=place)


def label(record):
    """The name of a line: "dmodc", "dmodc in OpenSM" (our plugin), "OpenSM ftree" (its own)."""
    return {"library": "{}", "plugin": "{} in OpenSM", "opensm": "OpenSM {}"}[record["via"]].format(record["engine"])


def range_of(words):
    """Least and greatest of what spread() wrote: of "8.5 (7 to 10)", "4" or nothing."""
    found = [float(w) for w in re.findall(r"[0-9.]+", words.replace(" ", "").replace("to", " to "))]
    return found[-2:] if len(found) == 3 else found


def rest_of(file, rows):
    """The rows of an earlier summary that `rows` have nothing in place of."""
    key = lambda row: (row["fabric"], row["damage"], row["engine"])
    have = set(map(key, rows))
    with open(file, newline="", encoding="utf-8") as text:
        return [row for row in csv.DictReader(text) if key(row) not in have]


def of_summary(rows, records):
    """Records of the least and of the greatest of these rows' trials, where `records` have that damage. Rows with wrong
    entries count as runs that lose flows."""
    like = {(name_of(r["fabric"]), removed(r["amount"], r["damage"])): r for r in records}
    for row in rows:
        of = like.get((row["fabric"], row["damage"]))
        if of is None:
            continue
        via = "opensm" if row["engine"].startswith("OpenSM ") else "library"
        lost = {"unrouted_sp": 1} if range_of(row["wrong entries"])[-1] > 0 else {}
        for worst, random in zip(range_of(row["worst shift"]), range_of(row["random permutations"])):
            yield lost | {"via": via, "engine": row["engine"].removeprefix("OpenSM "), "engine_used": row["got"],
                          "outcome": "routed", "sound": row["credit loop"].startswith(("no", "0")),
                          "mu_sp_max": worst, "mu_rp_median": random,
                          **{field: of[field] for field in ("fabric", "damage", "amount", "of")}}  # fmt: skip


def only(records, names):
    """The records of these lines; all if no names are given."""
    wanted = [name.strip() for name in names.split(",")] if names else [label(r) for r in records]
    for name in wanted:
        if name not in map(label, records):
            sys.exit(f"there are no records of \"{name}\"")
    return [r for r in records if label(r) in wanted]


def delivers(record):
    """Whether its figures are those of its engine, and of all flows."""
    return (
        record["outcome"] == "routed"
        and record["engine_used"] == record["engine"]
        and not any(key.startswith("unrouted_") for key in record)
    )


def plain(value, _=None):
    """Three digits, whole numbers in full: 0.0123, 12.3, 5184, 17 280."""
    if value >= 10000:
        return f"{value:,.0f}".replace(",", " ")
    return f"{value:.0f}" if value >= 100 or value == int(value) else f"{value:.3g}"


# ---- the table ----


def spread(values):
    """One value, or "mean (least to greatest)" of several trials, to three digits."""
    values = [v for v in values if v is not None]
    if not values:
        return ""
    if len(values) == 1:
        return plain(values[0])
    return f"{plain(statistics.mean(values))} ({plain(min(values))} to {plain(max(values))})"


def groups(records):
    """Records that differ only in the trial: (fabric, damage, amount, label) -> list."""
    found = defaultdict(list)
    for r in records:
        found[r["fabric"], r["damage"], r["amount"], label(r)].append(r)
    return found


def summary(records):
    """One dict of words for each group."""
    for (fabric, damage, amount, name), runs in groups(records).items():
        routed = [r for r in runs if r["outcome"] == "routed"]
        yield {
            "fabric": name_of(fabric),
            "damage": removed(amount, damage),
            "engine": name,
            "got": ", ".join(sorted({r.get("engine_used", "failed") for r in runs})),
            "wrong entries": spread([r["wrong_entries"] for r in routed]),
            "credit loop": f"{sum(r['credit_loop'] for r in routed)} of {len(runs)}" if len(runs) > 1 else
                           "".join("yes" if r["credit_loop"] else "no" for r in routed),
            "worst shift": spread([r.get("mu_sp_max") for r in routed]),
            "random permutations": spread([r.get("mu_rp_median") for r in routed]),
            "seconds": spread([r["ms"] / 1000 if "ms" in r else None for r in routed]),
            "processor seconds": spread([r["cpu_ms"] / 1000 if "cpu_ms" in r else None for r in routed]),
            "peak MiB": spread([r["peak_kib"] / 1024 for r in routed]),
        }


def print_table(rows):
    print("| " + " | ".join(rows[0]) + " |")
    print("|---" * len(rows[0]) + "|")
    for row in rows:
        print("| " + " | ".join(row.values()) + " |")
