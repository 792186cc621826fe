#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Damages a dragonfly and looks whether its engine still finds sound routes, and on how many lanes.

Usage: dragonfly_damage.py [--espalier PROGRAM] [--engine ENGINE] [--draws N] [--singles] NET
  --draws N   N random draws of 1 to 20 % of the links between switches, seeds from 1001
  --singles   each single link and each single switch, one after the other

Prints one line per kind of damage: draws, how many are sound, a histogram of the lanes used, and the fullest channel
under all-to-all against a bound of the damaged fabric: shortest hops of all pairs of hosts, summed, over the number of
channels. Exit status 1 if any draw is unsound.
"""

import argparse
import collections
import json
import subprocess
import sys
import tempfile
from pathlib import Path


def run(*words, text=None):
    return subprocess.run(words, input=text, capture_output=True, text=True)


class Judge:
    def __init__(self, espalier, engine, folder):
        self.espalier, self.engine, self.folder = espalier, engine, folder

    def fabric(self, net):
        return json.loads(run(self.espalier, "convert", net, "--to", "json").stdout)

    def bound(self, net):
        fabric = self.fabric(net)
        place = {s["guid"]: i for i, s in enumerate(fabric["switches"])}
        near, hosts = [set() for _ in place], [0] * len(place)
        for link in fabric["links"]:
            a, b = place[link["a"]], place[link["b"]]
            near[a].add(b), near[b].add(a)
        for port in fabric["end_ports"]:
            if port["switch"] in place:
                hosts[place[port["switch"]]] += 1
        total = 0
        for start in range(len(place)):
            if hosts[start] == 0:
                continue
            hops, queue = {start: 0}, collections.deque([start])
            while queue:
                here = queue.popleft()
                total += hops[here] * hosts[start] * hosts[here]
                for there in near[here] - hops.keys():
                    hops[there] = hops[here] + 1
                    queue.append(there)
        return total / max(1, 2 * len(fabric["links"]))

    def judge(self, net):
        """(sound, lanes, fullest channel under all-to-all); sound is None where the engine declines."""
        lfts, lanes = str(self.folder / "t.tables"), str(self.folder / "t.lanes")
        routed = run(self.espalier, "route", net, "--engine", self.engine, "--lanes", lanes, "-o", lfts, "-j", "1")
        if routed.returncode != 0:
            return None, 0, 0
        verdict = json.loads(run(self.espalier, "verify", net, lfts, "--lanes", lanes, "--json", "-j", "1").stdout)
        load = json.loads(run(self.espalier, "analyze", net, lfts, "--patterns", "a2a", "--json", "-j", "1").stdout)
        return verdict["ok"], verdict["vls"], load["Xi_a2a"]


def report(title, judge, nets):
    lanes, worst, unsound, ratios = collections.Counter(), 0, 0, []
    for name, net in nets:
        sound, vls, load = judge.judge(net)
        if not sound:
            unsound += 1
            print(f"UNSOUND: {name}" if sound is False else f"DECLINED: {name}")
            continue
        lanes[vls] += 1
        ratios.append(load / judge.bound(net))
        worst = max(worst, ratios[-1])
    count = sum(lanes.values())
    histogram = ", ".join(f"{n} on {v}" for v, n in sorted(lanes.items()))
    mean = sum(ratios) / max(1, len(ratios))
    print(f"{title}: {count + unsound} draws, {count} sound; VLs: {histogram}; Xi_a2a over its bound: mean {mean:.2f}, "
          f"worst {worst:.2f}", flush=True)
    return unsound == 0


def draws(judge, net, number, num_links):
    for i in range(number):
        percent = 1 + i % 20
        out = str(judge.folder / "d.net")
        run(judge.espalier, "degrade", net, "--links", str(max(1, num_links * percent // 100)), "--seed", str(1001 + i),
            "-o", out)
        yield f"{percent} % of the links, seed {1001 + i}", out


def singles(judge, net, what):
    fabric = judge.fabric(net)
    removals = [f'{link["a"]}/{link["a_port"]}' for link in fabric["links"]]
    if what == "switches":
        removals = [s["guid"] for s in fabric["switches"]]
    for removal in removals:
        out = str(judge.folder / "s.net")
        if run(judge.espalier, "degrade", net, "--remove", removal, "-o", out).returncode == 0:
            yield f"without {removal}", out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--espalier", default="espalier")
    parser.add_argument("--engine", default="dragonfly")
    parser.add_argument("--draws", type=int, default=0)
    parser.add_argument("--singles", action="store_true")
    parser.add_argument("net")
    arguments = parser.parse_args()
    good = True
    with tempfile.TemporaryDirectory() as folder:
        judge = Judge(arguments.espalier, arguments.engine, Path(folder))
        if arguments.draws > 0:
            links = len(judge.fabric(arguments.net)["links"])
            good &= report("1 to 20 % of the links", judge, draws(judge, arguments.net, arguments.draws, links))
        if arguments.singles:
            good &= report("each single link", judge, singles(judge, arguments.net, "links"))
            good &= report("each single switch", judge, singles(judge, arguments.net, "switches"))
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
