# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""pin_outputs.py with a test program that finds what it is told to."""

import subprocess
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "pin_outputs.py"
PINS = """# Remark.

## one
aaaa generate x -o net
bbbb check net

## two
cccc --help
"""


class PinOutputsTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = Path(self.folder.name)
        (self.root / "pins.txt").write_text(PINS, encoding="utf-8")
        self.program("tools_test", 'test -e "$(dirname "$0")/broken" && exit 1\n'
                     'printf "## one\\naaaa generate x -o net\\nb2b2 check net\\n\\n" >"$ESPALIER_PINS/one"\n'
                     'printf "## two\\ncccc --help\\n\\n" >"$ESPALIER_PINS/two"\nexit 1')  # fmt: skip
        self.program("espalier", 'test "$1" = generate && echo net >net || { cat net; echo clean; }')
        self.program("old", 'test "$1" = generate && echo net >net || { cat net; echo sound; }')

    def program(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("#!/bin/sh\n" + text + "\n", encoding="utf-8")
        path.chmod(0o755)

    def run_script(self, *arguments):
        return subprocess.run([SCRIPT, "--build", self.root, "--pins", self.root / "pins.txt", *arguments],
                              capture_output=True, text=True, check=False)  # fmt: skip

    def pins(self):
        return (self.root / "pins.txt").read_text(encoding="utf-8")

    def test_puts_new_checksums_in_place_of_those_that_differ(self):
        done = self.run_script()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "one: espalier check net\n1 of 3 pins differ\n")
        self.assertEqual(self.pins(), PINS.replace("bbbb", "b2b2"))

    def test_shows_what_the_commands_print_before_and_now(self):
        done = self.run_script("--before", self.root / "old")
        self.assertIn("one: espalier check net\n    @@ -2,2 +2,2 @@\n     net\n    -sound\n    +clean\n", done.stdout)

    def test_checks_without_a_change(self):
        self.assertEqual(self.run_script("--check").returncode, 1)
        self.assertEqual(self.run_script("--check", "two").returncode, 0)
        self.assertEqual(self.pins(), PINS)

    def test_changes_only_the_blocks_that_are_named(self):
        self.assertEqual(self.run_script("two").returncode, 0)
        self.assertEqual(self.pins(), PINS)

    def test_leaves_the_file_alone_where_the_tests_do_not_run(self):
        (self.root / "broken").touch()
        done = self.run_script()
        self.assertEqual(done.returncode, 2)
        self.assertIn("did not run to its end", done.stderr)
        self.assertEqual(self.pins(), PINS)

    def test_names_a_block_that_is_not_there(self):
        done = self.run_script("three")
        self.assertEqual(done.returncode, 2)
        self.assertIn("has no block three", done.stderr)


if __name__ == "__main__":
    unittest.main()
