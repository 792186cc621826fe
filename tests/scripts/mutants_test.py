# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""mutants.py: which operators it finds, and that a seed always draws the same ones."""

import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
import mutants  # noqa: E402


def found(text):
    return [(text[offset : offset + len(old)], new) for offset, old, new in mutants.places(text)]


class MutantsTest(unittest.TestCase):
    def test_finds_operators(self):
        self.assertEqual(found("a < b && c == d;"), [(" < ", " <= "), (" && ", " || "), (" == ", " != ")])
        self.assertEqual(found("x += y * z;"), [(" += ", " -= "), (" * ", " / ")])

    def test_leaves_templates_and_references_alone(self):
        self.assertEqual(found("std::vector<int> f(auto&& a, T* b, const U& c);"), [])

    def test_leaves_comments_literals_and_includes_alone(self):
        self.assertEqual(found("// a < b\nf(\"a < b\"); /* c == d */\n#if A == 1\n"), [])
        self.assertEqual(found("g(' ', a < b);"), [(" < ", " <= ")])
        self.assertEqual(found('f(R"(i + N\n"a < b")", a < b); R"x(c > d)x"'), [(" < ", " <= ")])

    def test_does_not_subtract_strings(self):
        self.assertEqual(found("text = name + \" x\";"), [])

    def test_draws_the_same_with_the_same_seed(self):
        sources = {"core/a.cc": "a < b; c > d; e == f;", "core/b.cc": "g && h; i + j;"}
        drawn = mutants.draw(sources, 3, 7)
        self.assertEqual(len(drawn), 3)
        self.assertEqual(drawn, mutants.draw(sources, 3, 7))
        self.assertEqual(len(mutants.draw(sources, 100, 7)), 5)

    def test_asks_the_rooms_own_test_first(self):
        self.assertEqual(mutants.first_to_ask({"tree", "engines", "analysis"}, "core/engines/fors.cc")[0], "engines")
        self.assertEqual(mutants.first_to_ask({"tools", "plugin_opensm"}, "plugin/upload/apply.cc")[0], "plugin_opensm")
        self.assertEqual(mutants.first_to_ask({"base", "tools", "tree"}, "core/tree/rank.cc"), ["tree", "tools", "base"])

    def test_asks_the_tests_of_the_file_first(self):
        self.assertEqual(mutants.own_tests("core/tree/host_order.cc"), "*HostOrder*")

    def test_kills_what_takes_too_long_and_all_that_it_started(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertTrue(mutants.succeeds("true", folder, 10))
            self.assertFalse(mutants.succeeds("false", folder, 10))
            self.assertFalse(mutants.succeeds("(sleep 2; touch late) & wait", folder, 0.2))
            time.sleep(2.5)
            self.assertEqual(list(Path(folder).iterdir()), [])

    def test_a_later_run_reads_the_answers_of_the_one_before(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "results"
            mutants.Results(path).add("core/a.cc:1:2: < -> <= ", "killed by tree")
            self.assertEqual(mutants.Results(path).answers, {"core/a.cc:1:2: < -> <= ": "killed by tree"})
            self.assertEqual(mutants.Results(Path(folder) / "none").answers, {})


if __name__ == "__main__":
    unittest.main()
