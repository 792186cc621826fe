#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What faults cost: repaired tables of `balanced` beside fresh tables of other engines, ours and OpenSM's own.

    scripts/stock_after_faults.py [-b BUILD] [--links 1,10,86] [--switches 1,8] [--seed 1001] [--engines balanced,dmodc]
                                  [--stock minhop,updn,sssp] NET

Each engine routes NET whole and without what `espalier degrade` removes; OpenSM's engines do so in the real OpenSM on ibsim.
Prints a row for each kind of damage and engine: entries that change, blocks of 64 LIDs that change, the worst shift of
every 16th and the median of 200 random permutations.

OpenSM may give a port another LID when it starts anew. Ports are compared by GUID, in blocks of the LIDs that
they have in the whole fabric of the same engine, as if OpenSM had kept them. A switch that is gone has no blocks to write.
"""

import argparse
import itertools
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SWITCH = re.compile(r"Unicast lids .* guid 0x([0-9a-f]+)")
NO_ENTRY = b"\xff"
PATTERNS = "sp:16,rp:200"


def numbers(text):
    return [int(n) for n in text.split(",") if n]


def names(text):
    return [n for n in text.split(",") if n]


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__, add_help=False)
    parser.add_argument("-b", "--build", type=Path, default=Path("build"))
    parser.add_argument("--links", type=numbers, default=[1, 10, 86])
    parser.add_argument("--switches", type=numbers, default=[1, 8])
    parser.add_argument("--seed", type=int, default=1001)
    parser.add_argument("--engines", type=names, default=["balanced", "dmodc"])
    parser.add_argument("--stock", type=names, default=["minhop", "updn", "sssp"])
    parser.add_argument("net", type=Path)
    options = parser.parse_args()
    options.build = options.build.resolve()
    return options


def read_tables(file, numbers):
    """(number of a port -> LID, switch GUID -> its ports by these numbers) of a file like opensm-lfts.dump.

    `numbers`: port GUID -> number, the same for all files that are compared; new ones are added. Such a file can have ten
    million lines, so that a row is an array of bytes.
    """
    lids, tables, row = {}, {}, None
    with file.open() as lines:
        for line in lines:
            entry, has_guid, port_guid = line.partition(" portguid 0x")
            if has_guid and line.startswith("0x"):
                number = numbers.setdefault(port_guid.partition(":")[0], len(numbers))
                if number >= len(row):
                    row.extend(NO_ENTRY * (number + 1 - len(row)))
                lid, port = entry.split(maxsplit=2)[:2]
                lids[number] = int(lid, 16)
                row[number] = int(port)
            elif switch := SWITCH.match(line):
                row = tables.setdefault(switch.group(1), bytearray())
    if not lids:
        sys.exit(f"{file} has no tables")
    return lids, tables


def difference(before, after):
    """(entries, blocks) of the switches that both have."""
    lids, old = before
    _, new = after
    entries, blocks = 0, set()
    for switch in old.keys() & new.keys():
        both = itertools.zip_longest(old[switch], new[switch], fillvalue=NO_ENTRY[0])
        changed = [number for number, (was, now) in enumerate(both) if was != now]
        entries += len(changed)
        blocks |= {(switch, lids[number] // 64) for number in changed if number in lids}
    return entries, len(blocks)


def counted(amount, kind):
    """ "1 link", "2 links", "1 switch", "2 switches"."""
    singular = {"links": "link", "switches": "switch"}[kind]
    return f"{amount} {singular if amount == 1 else kind}"


class Programs:
    """What a build directory has, with files in a folder of its own."""

    def __init__(self, build, folder):
        self.espalier = build / "espalier"
        self.build = build
        self.folder = folder

    def run(self, *command):
        return subprocess.run([self.espalier, *map(str, command)], check=True, capture_output=True, text=True).stdout

    def degraded(self, net, kind, amount, seed):
        file = self.folder / f"{kind}{amount}.net"
        self.run("degrade", net, f"--{kind}", amount, "--seed", seed, "-o", file)
        return file

    def routed(self, net, engine, *more):
        file = self.folder / f"{net.stem}.{engine}.lfts"
        self.run("route", net, "--engine", engine, *more, "-o", file)
        return file

    def repaired(self, net, reference):
        file = self.folder / f"{net.stem}.repaired.lfts"
        self.run("repair", net, "--reference", reference, "-o", file)
        return file

    def routed_by_opensm(self, net, engine):
        out = self.folder / f"{net.stem}.opensm-{engine}"
        runner = Path(__file__).with_name("run_opensm.sh")
        command = [runner, "-b", self.build, "-e", engine, "-p", "", "-d", out, "-t", "600", net]
        done = subprocess.run([*map(str, command)], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{engine}: OpenSM did not route {net}: {done.stdout.strip()} {done.stderr.strip()}")
        return out / "opensm-lfts.dump"

    def quality(self, net, tables):
        found = json.loads(self.run("analyze", net, tables, "--patterns", PATTERNS, "--json"))
        return found["mu_sp_max"], found["mu_rp_median"]


def contenders(programs, options, whole):
    """(name, its tables of the whole fabric, its tables of another) for each."""
    reference = programs.folder / "reference"
    first = programs.routed(whole, "balanced", "--save-reference", reference)
    yield "balanced, repaired", first, lambda net: programs.repaired(net, reference)
    for engine in options.engines:
        yield engine, programs.routed(whole, engine), lambda net, e=engine: programs.routed(net, e)
    for engine in options.stock:
        of_opensm = programs.routed_by_opensm(whole, engine)
        yield f"OpenSM's {engine}", of_opensm, lambda net, e=engine: programs.routed_by_opensm(net, e)


def main():
    options = arguments()
    print(f"| {options.net.name}, seed {options.seed} | engine | entries | blocks | worst shift | random |")
    print("|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory(prefix="espalier-faults-") as folder:
        programs = Programs(options.build, Path(folder))
        damages = [("links", n) for n in options.links] + [("switches", n) for n in options.switches]
        numbers = {}
        nets = {damage: programs.degraded(options.net, *damage, options.seed) for damage in damages}
        for name, whole, route in contenders(programs, options, options.net.resolve()):
            before = read_tables(whole, numbers)
            for (kind, amount), net in nets.items():
                tables = route(net)
                entries, blocks = difference(before, read_tables(tables, numbers))
                shift, random = programs.quality(net, tables)
                print(f"| {counted(amount, kind)} | {name} | {entries} | {blocks} | {shift:g} | {random:g} |", flush=True)


if __name__ == "__main__":
    main()
