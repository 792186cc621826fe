# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""sdn_tables.py on the dragonfly of 64 hosts, with short messages."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "sdn_tables.py"
BUILD = Path(sys.argv.pop())


class SdnTablesTest(unittest.TestCase):
    def test_minimal_routing_is_the_slowest_under_a_shift_of_groups(self):
        with tempfile.TemporaryDirectory() as folder:
            net = Path(folder) / "net"
            subprocess.run([BUILD / "espalier", "generate", "dragonfly", "2,4,2,8", "-o", net], check=True)
            done = subprocess.run([SCRIPT, "--build", BUILD, "--bytes", "100000", "--models", "min ugal sdn-ugal model",
                                   net, "shift:8"], capture_output=True, text=True, check=False)  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = {line.split("|")[1].strip(): float(line.split("|")[2]) for line in done.stdout.splitlines()[2:]}
        # Eight flows share the one link between two groups.
        self.assertGreater(rows["min"], 8)
        for model in ("ugal", "sdn-ugal", "model"):
            self.assertLess(rows[model], 0.6 * rows["min"])


if __name__ == "__main__":
    unittest.main()
