# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""as_built.py with the program whose path is the argument: all kinds of trees, and its verdicts on records written by hand."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "as_built.py"
ESPALIER = Path(sys.argv.pop())
CASES = ("whole", "swap1", "swap2", "swap5", "stray", "fast-spines", "throttled", "fast-leaves")


def run(folder, *arguments):
    command = [SCRIPT, ESPALIER, *arguments, "-o", folder, "--stock", "", "--jobs", 1]
    return subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)


def rows(text):
    """(case, engine) -> the figures of its row."""
    cells = [[c.strip() for c in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("|")]
    return {(c[0], c[1]): [float(x) for x in c[2:]] for c in cells[2:]}


class AsBuiltTest(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name)

    def small(self, *arguments):
        return run(self.folder, *arguments, "--tree", "3;4,4,4;1,4,4;1,1,1", "--draws", 2, "--permutations", 20,
                   "--engines", "balanced,dmodc")  # fmt: skip

    def test_each_case_changes_the_tree_as_its_name_says(self):
        done = self.small(*CASES)
        self.assertEqual(done.returncode, 0, done.stderr)
        table = rows(done.stdout)
        self.assertEqual(set(table), {(case, engine) for case in CASES for engine in ("balanced", "dmodc")})
        self.assertTrue(all(row[0] == 2 for row in table.values()), "two draws each")
        self.assertEqual(table["whole", "balanced"][1:3], [1, 1])
        self.assertEqual(table["fast-spines", "balanced"][1], 1)
        self.assertEqual(table["throttled", "balanced"][1], 2, "who has a slow link takes the others")
        self.assertGreaterEqual(table["throttled", "dmodc"][1], 4, "what links carry counts")
        self.assertGreater(table["fast-leaves", "balanced"][1], 2)
        texts = {(self.folder / f"{case}.1001.net").read_text(encoding="utf-8") for case in CASES}
        self.assertEqual(len(texts), len(CASES), "no two are the same fabric")
        for case in CASES:
            self.assertIn(f"{case}: balanced above the best in the worst shift in 0 of 2 draws", done.stdout)

    def test_another_call_does_what_is_missing(self):
        self.assertEqual(self.small("swap1").returncode, 0)
        (record,) = (self.folder / "records").iterdir()
        before = record.read_text(encoding="utf-8")
        done = self.small("swap1", "stray")
        self.assertEqual(done.returncode, 0, done.stderr)
        after = record.read_text(encoding="utf-8")
        self.assertTrue(after.startswith(before), "kept")
        self.assertEqual(len(after.splitlines()), 2 * len(before.splitlines()))

    def test_a_lost_draw_is_named(self):
        self.assertEqual(self.small("swap1").returncode, 0)
        (file,) = (self.folder / "records").iterdir()
        records = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        for r in records:
            if "1002" in r["fabric"]:
                r["mu_sp_max"] = 7 if r["engine"] == "balanced" else 3
        file.write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
        done = self.small("swap1")
        self.assertIn("swap1: balanced above the best in the worst shift in 1 of 2 draws\n  1002: dmodc 3, balanced 7\n", done.stdout)

    def test_a_lost_median_is_judged_again_by_many_permutations(self):
        self.assertEqual(self.small("swap1").returncode, 0)
        (file,) = (self.folder / "records").iterdir()
        records = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        for r in records:
            if "1001" in r["fabric"] and r["engine"] == "balanced":
                r["mu_rp_median"] += 5
        file.write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
        done = self.small("swap1")
        self.assertIn("in the random median in 1 of 2 draws", done.stdout)
        self.assertIn("These draws once more, 20000 permutations:", done.stdout)
        (again,) = (self.folder / "closer").iterdir()
        self.assertEqual({json.loads(line)["mu_rp_draws"] for line in again.read_text(encoding="utf-8").splitlines()}, {20000})

    def test_trees_with_unequal_leaves_come_from_their_campaign(self):
        done = run(self.folder, "uneven", "--draws", 3, "--seed", 5001, "--permutations", 20, "--engines", "balanced,dmodc")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual({key[0] for key in rows(done.stdout)}, {"uneven"})

    def test_what_goes_wrong_is_told(self):
        done = run(self.folder, "whole", "--tree", "3;4,4,4;1,4,4;1,1,1", "--draws", 1, "--engines", "no-such-engine")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("no-such-engine", done.stderr)


if __name__ == "__main__":
    unittest.main()
