# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""compare_to_best.py on records written by hand."""

import json
import subprocess
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "compare_to_best.py"


def record(engine, worst, **fields):
    whole = dict(fabric="tree.net", fingerprint="f", damage="links", amount=3, of=9, trial=0, seed=1, engine=engine,
                 via="library", outcome="routed", engine_used=engine, sound=True, mu_sp_max=worst, mu_sp_mean=worst / 2,
                 mu_rp_median=6)  # fmt: skip
    return whole | fields


class CompareToBestTest(unittest.TestCase):
    def run_script(self, *records, engine="ours"):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "records.jsonl"
            file.write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
            return subprocess.run([SCRIPT, engine, file], capture_output=True, text=True, check=False)

    def rows(self, *records):
        done = self.run_script(*records)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [[cell.strip() for cell in line.split("|")[1:-1]] for line in done.stdout.splitlines()[2:]]

    def test_the_best_other_is_named_for_each_metric(self):
        rows = self.rows(record("ours", 4), record("a", 8, mu_rp_median=5), record("b", 10, mu_rp_median=8))
        self.assertEqual(rows, [["tree", "3 links", "4 (0.50, 0.50; a)", "2 (0.50, 0.50; a)", "6 (1.20, 1.20; a)"]])

    def test_one_removed_is_said_as_one(self):
        self.assertEqual(self.rows(record("ours", 4, damage="switches", amount=1))[0][1], "1 switch")

    def test_only_common_draws_are_compared(self):
        ours = [record("ours", m, trial=t) for t, m in enumerate((4, 6, 20))]
        rows = self.rows(*ours, record("a", 8), record("a", 8, trial=1))
        self.assertEqual(rows[0][2], "10 (0.62, 0.75; a)")

    def test_a_seed_further_on_is_the_same_draw_as_a_trial_further_on(self):
        rows = self.rows(record("ours", 4, trial=1), record("a", 8, seed=2))
        self.assertEqual(rows[0][2], "4 (0.50, 0.50; a)")

    def test_who_declined_or_lost_flows_does_not_count(self):
        rows = self.rows(record("ours", 4), record("ftree", 2, via="opensm", engine_used="minhop"),
                         record("a", 1, unrouted_sp=7))  # fmt: skip
        self.assertEqual(rows[0][2], "4")

    def test_cases_without_the_engine_are_left_out(self):
        self.assertEqual(self.rows(record("a", 1), record("ours", 1, amount=5))[0][1], "5 links")

    def test_says_how_it_is_used(self):
        done = subprocess.run([SCRIPT], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("compare_to_best.py ENGINE RECORDS", done.stderr)


if __name__ == "__main__":
    unittest.main()
