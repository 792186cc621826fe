# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""plot_packets.py on records written by hand."""

import json
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "plot_packets.py"


def record(policy, traffic, offered, throughput, latency, steady=True):
    return {"policy": policy, "traffic": traffic, "offered": offered, "throughput": throughput, "throughput_ci95": 0.01,
            "latency_mean": latency, "latency_ci95": 1.5, "steady": steady}  # fmt: skip


RECORDS = [
    record("min", "un", 0.6, 0.59, 300),
    record("min", "un", 0.2, 0.2, 150),
    record("olm", "un", 0.2, 0.2, 151),
    record("min", "advg:1", 0.2, 0.03, 9000, steady=False),
    record("olm", "advg:1", 0.2, 0.2, 240),
]


class PlotPacketsTest(unittest.TestCase):
    def run_script(self, lines, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "records.jsonl"
            file.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
            picture = Path(folder) / "picture.svg"
            more = [*arguments, picture] if "-o" in arguments else arguments
            done = subprocess.run([SCRIPT, file, *more], capture_output=True, text=True, check=False)
            return done, xml.parse(picture).getroot() if picture.exists() else None

    def test_prints_the_most_throughput_and_the_latency_at_the_least_load(self):
        done, _ = self.run_script(map(json.dumps, RECORDS))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.splitlines()[2:4], ["| un | min | 2 | 0.590 | 150 |", "| un | olm | 1 | 0.200 | 151 |"])

    def test_prints_no_latency_of_a_run_that_was_not_steady(self):
        done, _ = self.run_script(map(json.dumps, RECORDS))
        self.assertEqual(done.stdout.splitlines()[4:6], ["| advg:1 | min | 1 | 0.030 |  |", "| advg:1 | olm | 1 | 0.200 | 240 |"])

    def test_draws_every_traffic_and_policy(self):
        for arguments in (["-o"], ["--bars", "-o"]):
            done, picture = self.run_script(map(json.dumps, RECORDS), *arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
            words = {text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")}
            self.assertLessEqual({"un", "advg:1", "min", "olm"}, words)

    def test_refuses_what_is_no_record(self):
        for lines, word in ((["{"], ":1: no record"), (['{"policy": "min"}'], ":1: no record"), ([], "no records")):
            done, _ = self.run_script(lines)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(word, done.stderr)


if __name__ == "__main__":
    unittest.main()
