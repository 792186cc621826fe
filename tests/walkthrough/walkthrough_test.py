#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Runs the commands of a page one by one, as a newcomer would, in one empty folder.

usage: walkthrough_test.py PAGE.md HEADING BIN_DIR [--seconds N] [--least N]

PAGE.md is README.md or docs/walkthrough.md; HEADING limits it to the blocks below headings that begin so ("" is all). Each line
of a sh block that begins with `espalier` runs as it stands, with BIN_DIR in front of PATH, and has to end with 0 or, where it asks
whether something is lost, with 1. None may take longer than N seconds. Files that a page names without making them are
made before, as the page says in words (PREPARED).
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

# What a page takes for granted: the file, and how it comes about.
PREPARED = {
    "tree.ref": "espalier route tree.net --engine balanced --save-reference tree.ref -o tree.ref.lfts",
    "broken.net": 'espalier degrade tree.net --remove "L2 0.3" -o broken.net',
}
# Campaigns are for hours: here they say what they would do.
PLANNED = {"espalier compare": " --list"}
# whatif answers no with 1 when hosts lose their connection.
ANSWERS_NO = ("espalier whatif", "espalier check", "espalier repair")


def commands(page, heading):
    """The lines of all sh blocks below the heading that call espalier; a trailing backslash joins lines."""
    text = page.read_text().replace("\\\n", " ")
    inside, block, found = not heading, False, []
    for line in text.splitlines():
        if line.startswith("#") and not block and heading:
            inside = line.lstrip("# ").startswith(heading)
        elif line.startswith("```"):
            block = line == "```sh" and not block
        elif block and inside and line.startswith("espalier "):
            found.append(line)
    return found


def run(line, folder, environment, seconds):
    started = time.monotonic()
    done = subprocess.run(["bash", "-c", line], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=seconds)
    return done, time.monotonic() - started


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("heading")
    parser.add_argument("bin_dir", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--least", type=int, default=5, help="commands that the page has at the least")
    options = parser.parse_args()
    environment = dict(os.environ, PATH=f"{options.bin_dir.resolve()}:{os.environ['PATH']}:/usr/sbin")
    lines = commands(options.page, options.heading)
    if len(lines) < options.least:
        sys.exit(f"FAILED: {options.page} has {len(lines)} commands below {options.heading!r}")
    wrong, total = [], 0.0
    with tempfile.TemporaryDirectory(prefix="espalier-walk-") as folder:
        for line in lines:
            made = re.findall(r"(?:-o|--save-reference) (\S+)", line)
            for name, recipe in PREPARED.items():
                if name in line and name not in made and not (pathlib.Path(folder) / name).exists():
                    subprocess.run(["bash", "-c", recipe], cwd=folder, env=environment, check=True, timeout=options.seconds)
            plan = next((more for start, more in PLANNED.items() if line.startswith(start) and "README" in options.page.name), "")
            command = line.split(" # ")[0].rstrip() + plan
            try:
                done, took = run(command, folder, environment, options.seconds)
            except subprocess.TimeoutExpired:
                wrong.append(f"longer than {options.seconds:.0f} s: {command}")
                continue
            total += took
            print(f"{took:7.2f} s  rc {done.returncode}  {command}", flush=True)
            if done.returncode not in ((0, 1) if command.startswith(ANSWERS_NO) else (0,)):
                wrong.append(f"exit code {done.returncode}: {command}\n{done.stderr[-2000:]}")
            if done.returncode != 2 and not done.stdout and not made:
                wrong.append(f"no answer: {command}")
    print(f"{total:7.2f} s  {len(lines)} commands")
    if wrong:
        sys.exit("FAILED:\n" + "\n".join(wrong))


if __name__ == "__main__":
    main()
