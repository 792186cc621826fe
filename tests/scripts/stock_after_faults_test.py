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


def tables(*switches):
    """What read_tables() makes of switches, each (GUID, {port GUID: (LID, port)})."""
    lines = []
    for guid, row in switches:
        lines.append(f"Unicast lids [0-9] of switch Lid 1 guid 0x{guid} ('a switch: 0x1'):")
        lines += [f"0x{lid:04x} {port:03d} # Channel Adapter portguid 0x{to}: 'a host: 0x1'" for to, (lid, port) in row.items()]
        lines.append(f"{len(row)} valid lids dumped")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "opensm-lfts.dump"
        file.write_text("\n".join(lines) + "\n")
        return script.read_tables(file, NUMBERS)


NUMBERS = {}


class Differences(unittest.TestCase):
    def test_a_port_with_another_lid_has_not_changed(self):
        before = tables(("aa", {"bb": (65, 3), "cc": (66, 4)}), ("dd", {"bb": (65, 1)}))
        same = tables(("aa", {"cc": (3, 4), "bb": (2, 3)}))
        self.assertEqual(script.difference(before, same), (0, 0))

    def test_blocks_are_those_of_the_first_lids(self):
        before = tables(("aa", {"aa": (1, 0), "bb": (65, 3), "cc": (66, 4)}))
        after = tables(("aa", {"aa": (1, 5), "bb": (2, 4), "cc": (3, 5)}))
        self.assertEqual(script.difference(before, after), (3, 2))

    def test_an_entry_that_is_missing_has_changed(self):
        before = tables(("aa", {"bb": (1, 3), "cc": (200, 4)}), ("dd", {"bb": (1, 2)}))
        after = tables(("aa", {"bb": (1, 3)}), ("dd", {"bb": (1, 2), "ee": (7, 1)}))
        self.assertEqual(script.difference(before, after), (2, 1))  # nobody had the LID of the new one


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
