#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""check_multicast.py on a triangle of switches with a host on each."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
import check_multicast as judge  # noqa: E402

# Switch i has host i on port 1 and the two others on ports 2 and 3.
FABRIC = "".join(
    f"""switchguid=0x{i:x}({i:x})
Switch 4 "S-{i}" # "s{i}" base port 0 lid {i} lmc 0
[1] "H-{i}"[1](a{i}) # "h{i}" lid 1{i} 4xQDR
[2] "S-{i % 3 + 1}"[3] # "s" lid 1 4xQDR
[3] "S-{(i + 1) % 3 + 1}"[2] # "s" lid 1 4xQDR

caguid=0xb{i}
Ca 1 "H-{i}" # "h{i}"
[1](a{i}) "S-{i}"[1] # lid 1{i} lmc 0 "s{i}" lid {i} 4xQDR

"""
    for i in (1, 2, 3)
)
MEMBERS = "MC Group 0xc001 : mgid=0xff15000000000000:0x01 mlid=0xc001\n" + "".join(
    f"\nmcm_port: port_gid=0xfe80000000000000:0x{0xA0 + i:016x} scope_state=0x51 proxy_join=0x0\n" for i in (1, 2, 3)
)

# As dump_fts prints it: tens are left out of the heading.
TABLE = """\
Multicast mlids [0xc000-0xc3ff] of switch DR path slid 0; dlid 0; 0,1,3 guid 0x0002c90000000004 (S0):
            0                   1
     Ports: 0 1 2 3 4 5 6 7 8 9 0 1
 MLid
0xc001        x   x               x
1 valid mlids dumped
"""


class Judgement(unittest.TestCase):
    def faults(self, rows, fabric=FABRIC):
        peer, home = judge.read_fabric(fabric)
        tables = {switch: set(ports) for switch, ports in rows.items()}
        members = judge.read_members(MEMBERS)[0xC001]
        return list(judge.faults_of(0xC001, tables, members, peer, home, judge.connected(peer)))

    def test_a_tree_is_good(self):
        self.assertEqual(self.faults({1: [1, 2, 3], 2: [1, 3], 3: [1, 2]}), [])

    def test_a_lost_member_is_named(self):
        self.assertTrue(any("gets no packet" in f for f in self.faults({1: [1, 2], 2: [1, 3], 3: [1]})))

    def test_a_loop_is_found(self):
        self.assertTrue(any("circles" in f for f in self.faults({1: [1, 2, 3], 2: [1, 2, 3], 3: [1, 2, 3]})))

    def test_who_is_not_connected_is_not_lost(self):
        fabric = "\n".join(line for line in FABRIC.splitlines() if not line.startswith(('[2] "S', '[3] "S')))
        self.assertEqual(self.faults({}, fabric), [])

    def test_members_and_tables_are_read(self):
        self.assertEqual(judge.read_members(MEMBERS), {0xC001: {0xA1, 0xA2, 0xA3}})
        self.assertEqual(judge.read_tables(TABLE), {0xC001: {0x0002C90000000004: {1, 3, 11}}})


if __name__ == "__main__":
    unittest.main()
