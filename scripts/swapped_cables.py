#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""How many swapped cables `espalier check` names exactly, without knowing the plan.

usage: swapped_cables.py ESPALIER [--draws 200] [--seed 1001]

Each draw takes one of five trees, shuffles the GUIDs of its switches and swaps the far ends of two leaf uplinks. What is right
comes from `check --plan` with the tree before the swap. Exact: both cables by switch and port, and where they belong, and
nothing else. Four undamaged trees of each kind, with other GUIDs each time, must give no finding.
"""
import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

TREES = ["2;12,8;1,6;1,2", "2;18,36;1,18;1,1", "3;6,6,6;1,6,6;1,1,1", "3;12,4,6;1,12,4;1,1,1", "3;8,6,10;1,8,3;1,1,1"]
CLEAN_OF_EACH = 4


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("espalier", type=Path)
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1001)
    options = parser.parse_args()

    def espalier(*arguments):
        done = subprocess.run([options.espalier.resolve(), *map(str, arguments)], capture_output=True, text=True)
        if done.returncode == 2:
            sys.exit(done.stderr)
        return done.stdout

    def findings(*arguments):
        """Of each its kind and the cable as it should be, whichever end comes first."""
        found = json.loads(espalier("check", *arguments, "--json"))["findings"]
        return {(f["kind"], frozenset((f["at"], f["expected"]))) for f in found}

    with tempfile.TemporaryDirectory() as folder:
        tree, whole, swapped = (Path(folder) / name for name in ("tree", "whole", "swapped"))
        exact = draws = alarms = 0
        for i, spec in enumerate(TREES):
            espalier("generate", "pgft", spec, "-o", tree)
            seeds = range(options.seed + i, options.seed + options.draws, len(TREES))
            for n, seed in enumerate(seeds):
                espalier("modify", tree, "--shuffle-guids", "--seed", seed, "-o", whole)
                espalier("modify", tree, "--shuffle-guids", "--swapped-uplinks", 1, "--seed", seed, "-o", swapped)
                right = {f for f in findings(swapped, "--plan", whole) if f[0] == "wrong link"}
                draws += 1
                exact += len(right) == 2 and findings(swapped) == right
                if n < CLEAN_OF_EACH:
                    alarms += bool(findings(whole))
    print(f"{exact} of {draws} swaps named exactly; {alarms} alarms on {CLEAN_OF_EACH * len(TREES)} undamaged trees")
    sys.exit(exact < 0.95 * draws or alarms > 0)


if __name__ == "__main__":
    main()
