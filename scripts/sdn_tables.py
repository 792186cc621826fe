#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Tables 5.3 to 5.6 of Faizian 2018, packet by packet: shifts and random permutations under minimal routing, SDN-single,
UGAL, SDN-ugal, SDN-optimal and SDN-model.

    scripts/sdn_tables.py [--build DIR] [--models "min ugal ..."] [--bytes N] [--seeds N] NET FLOWS ...

FLOWS are shift:S (host i to host i + S in the order of port GUIDs) or perm:SEED. Each host sends one message of --bytes
bytes to its destination, all at once. A Markdown row for each model: cycles until the last has arrived over those that one
message takes on a link of its own, and their mean. Times the number of hosts and 0.0851 s that is the dissertation's
figure.
"""
import argparse
import json
import os
import random
import re
import subprocess
import tempfile

MODELS = ("min", "single", "ugal", "sdn-ugal", "optimal", "model")
# 5.4: links of 4.7 GB/s and 20 ns, which is less than a phit's time where packets of 1 500 bytes are 8 phits, and buffers
# of 64 KB, 43 packets. The speedup is ours: packets are units, whose bubbles in a crossbar the dissertation has not.
ROUTER = ("--local-latency", "1", "--global-latency", "1", "--local-buffer", "344", "--global-buffer", "344",
          "--injection-buffer", "344", "--speedup", "2", "--output-buffer", "32")


def port_guids(net):
    with open(net, encoding="utf-8") as text:
        guids = re.findall(r"\nCa[^\n]*\n\[1\]\((\w+)\)", text.read())
    return ["0x" + guid for guid in sorted(guids, key=lambda guid: int(guid, 16))]


def write_flows(hosts, word, path):
    kind, number = word.split(":")
    to = [(i + int(number)) % len(hosts) for i in range(len(hosts))]
    if kind == "perm":
        random.Random(int(number)).shuffle(to)
    with open(path, "w", encoding="utf-8") as out:
        for i, j in enumerate(to):
            if i != j:
                out.write(f"{hosts[i]} {hosts[j]} 1\n")


class Runs:
    def __init__(self, options, work):
        self.options = options
        self.work = work

    def espalier(self, *arguments):
        program = os.path.join(self.options.build, "espalier")
        done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(arguments)}: {done.stderr}")
        return done.stdout

    def packets(self, *arguments):
        runs = [self.packets_once(seed, *arguments) for seed in range(1, self.options.seeds + 1)]
        return sum(runs) / len(runs)

    def packets_once(self, seed, *arguments):
        out = self.espalier("simulate", self.options.net, *arguments, "--packets", *ROUTER, "--patterns",
                            f"matrix:{self.work}/flows", "--bytes", str(self.options.bytes), "--seed", str(seed),
                            "--json")
        run = json.loads(out)
        assert run["finished"] and run["undelivered"] == 0, out
        return run["cycles"] / (8 * -(-self.options.bytes // 512))

    def paths(self, *model):
        self.espalier("throughput", self.options.net, "--paths", "min+vlb", "--flows", f"{self.work}/flows", *model,
                      "--write-paths", f"{self.work}/paths", "--json")
        return self.packets("--paths", f"{self.work}/paths")

    def one(self, model):
        if model == "min":
            return self.packets("--policy", "min")
        if model == "single":
            self.espalier("route", self.options.net, "--engine", "flows", "--flows", f"{self.work}/flows", "--lanes",
                          f"{self.work}/lanes", "-o", f"{self.work}/lfts")
            return self.packets(f"{self.work}/lfts", "--lanes", f"{self.work}/lanes")
        if model in ("ugal", "sdn-ugal"):
            cycles = self.packets("--policy", "ugal-l", "--valiant", "router", "--record-paths", f"{self.work}/taken")
            return cycles if model == "ugal" else self.packets("--paths", f"{self.work}/taken")
        return self.paths("--model", "mmf", *(("--tie-detours",) if model == "model" else ()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.environ.get("ESPALIER_BUILD", "build"))
    parser.add_argument("--models", default=" ".join(MODELS))
    parser.add_argument("--bytes", type=int, default=2_000_000)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("net")
    parser.add_argument("flows", nargs="+")
    options = parser.parse_args()
    hosts = port_guids(options.net)
    print("| | " + " | ".join(options.flows) + " | mean |")
    print("|---" * (len(options.flows) + 2) + "|")
    with tempfile.TemporaryDirectory() as work:
        for model in options.models.split():
            row = []
            for word in options.flows:
                write_flows(hosts, word, f"{work}/flows")
                row.append(Runs(options, work).one(model))
            cells = " | ".join(f"{value:.2f}" for value in [*row, sum(row) / len(row)])
            print(f"| {model} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
