# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""plot_throughput.py on records written by hand."""

import json
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "plot_throughput.py"
KINDS = ("phase:compute:io", "phase:compute:io back", "sp", "rp:200")


def records(label, *shares):
    return [{"label": label, "traffic": kind, "throughput": share} for kind, share in zip(KINDS, shares)]


class PlotThroughputTest(unittest.TestCase):
    def run_script(self, lines):
        with tempfile.TemporaryDirectory() as folder:
            file, picture = Path(folder) / "records.jsonl", Path(folder) / "picture.svg"
            file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
            done = subprocess.run([SCRIPT, file, "-o", picture], capture_output=True, text=True, check=False)
            return done, xml.parse(picture).getroot() if picture.exists() else None

    def test_prints_and_draws_each_kind_of_traffic(self):
        done, picture = self.run_script(records("dmodc", 0.5, 1, 0.25, 0.3))
        self.assertEqual(done.stdout.splitlines()[2], "| dmodc | 0.50 | 1.00 | 0.25 | 0.30 |", done.stderr)
        words = {text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")}
        self.assertLessEqual({"dmodc", "to storage", "0.25"}, words)

    def test_a_kind_that_was_not_simulated_has_no_figure(self):
        done, picture = self.run_script(records("dmodc", 0.5, 1))
        self.assertEqual(done.stdout.splitlines()[2], "| dmodc | 0.50 | 1.00 |  |  |", done.stderr)
        self.assertIsNotNone(picture)

    def test_refuses_what_it_cannot_draw(self):
        nine = [line for engine in range(9) for line in records(str(engine), 1)]
        for lines, words in (([{"traffic": "sp"}], ":1: no record"), ([{"label": "dmodc", "traffic": "a2a"}], ":1: no record"),
                             ([], "no records"), (nine, "more than 8 labels")):  # fmt: skip
            done, _ = self.run_script(lines)
            self.assertEqual((done.returncode, words in done.stderr), (1, True), done.stderr)


if __name__ == "__main__":
    unittest.main()
