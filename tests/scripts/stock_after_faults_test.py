# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""stock_after_faults.py with the programs of the build directory that is the argument: blocks counted by port, and a small tree."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
sys.path.insert(0, str(SCRIPTS))

import stock_after_faults as script  # noqa: E402

BUILD = Path(sys.argv.pop())


class Differences(unittest.TestCase):
    def test_a_port_with_another_lid_has_not_changed(self):
        before = {"aa": 1, "bb": 65, "cc": 66}, {"aa": {"bb": 3, "cc": 4}, "dd": {"bb": 1}}
        same = {"aa": 70, "bb": 2, "cc": 3}, {"aa": {"bb": 3, "cc": 4}}
        self.assertEqual(script.difference(before, same), (0, 0))

    def test_blocks_are_those_of_the_first_lids(self):
        before = {"aa": 1, "bb": 65, "cc": 66}, {"aa": {"aa": 0, "bb": 3, "cc": 4}}
        after = {"aa": 1, "bb": 2, "cc": 3}, {"aa": {"aa": 5, "bb": 4, "cc": 5}}
        self.assertEqual(script.difference(before, after), (3, 2))


class SmallTree(unittest.TestCase):
    def test_repair_is_the_row_with_the_fewest_blocks(self):
        with tempfile.TemporaryDirectory() as folder:
            net = Path(folder) / "tree.net"
            subprocess.run([BUILD / "espalier", "generate", "pgft", "3;4,4,4;1,4,4;1,1,1", "-o", net], check=True)
            command = [SCRIPTS / "stock_after_faults.py", "-b", BUILD, "--links", "1,4", "--switches", "2", "--stock", "", net]
            done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        blocks = {}
        for line in done.stdout.splitlines()[2:]:
            damage, engine, entries, changed = [cell.strip() for cell in line.split("|")[1:5]]
            self.assertGreaterEqual(int(entries), int(changed))
            blocks[damage, engine] = int(changed)
        for damage in ("1 link", "4 links", "2 switches"):
            least = min(blocks[damage, engine] for engine in ("balanced", "dmodc"))
            self.assertGreater(blocks[damage, "balanced, repaired"], 0)
            self.assertLessEqual(blocks[damage, "balanced, repaired"], least)


if __name__ == "__main__":
    unittest.main()
