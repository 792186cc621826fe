# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""plot_fors.py on records written by hand."""

import json
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "plot_fors.py"


def record(scenario, engine, seconds, phases=325, bound=0):
    return {"scenario": scenario, "engine": engine, "seconds": seconds, "phases": phases, "bound": bound}


WHOLE = [
    record("0F", "stock ftree", 2.0),
    record("0F", "fors", 1.0, 326, 326),
    record("1F", "stock minhop", 4.0),
    record("1F", "fors", 1.25, 340, 339),
]


class PlotForsTest(unittest.TestCase):
    def run_script(self, records, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "records.jsonl"
            file.write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
            picture = Path(folder) / "picture.svg"
            more = ["-o", picture] if "-o" in arguments else arguments
            done = subprocess.run([SCRIPT, file, *more], capture_output=True, text=True, check=False)
            return done, xml.parse(picture).getroot() if picture.exists() else None

    def test_prints_throughput_relative_to_the_best_without_failure(self):
        done, _ = self.run_script(WHOLE, "--table")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.splitlines()[2:], ["| 0F | 326 / 326 | 1.00 | `ftree` | 0.50 |",
                                                        "| 1F | 340 / 339 | 0.80 | `minhop` | 0.25 |"])  # fmt: skip

    def test_draws_every_scenario(self):
        done, picture = self.run_script(WHOLE, "-o")
        self.assertEqual(done.returncode, 0, done.stderr)
        words = {text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")}
        self.assertLessEqual({"0F", "1F", "fors"}, words)

    def test_refuses_what_is_no_whole_campaign(self):
        for records, word in ((WHOLE[:3], "let fors_scenarios.sh finish"), ([], "finish"), ([{"scenario": "0F"}], ":1: no record")):
            done, _ = self.run_script(records, "--table")
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(word, done.stderr)


if __name__ == "__main__":
    unittest.main()
