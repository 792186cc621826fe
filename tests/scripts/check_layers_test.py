# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""check_layers.py on small fake trees: each is a dict of path -> text, written to a temporary folder."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "check_layers.py"

# One header per room, so that every include below has a target.
ROOMS = ("base", "fabric", "tree", "engines", "analysis", "schedule", "graphs", "throughput", "io", "live", "tools")
HEADERS = {f"core/{room}/{room}.h": "#pragma once\n" for room in ROOMS} | {"plugin/plugin.h": "", "plugin/opensm.h": ""}


def run(tree):
    """Writes HEADERS and `tree`, runs the check there; returns (exit status, printed lines)."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (HEADERS | tree).items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        done = subprocess.run([sys.executable, SCRIPT, "--root", folder], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout.splitlines()


def includes(*rooms):
    return "".join(f'#include "core/{room}/{room}.h"\n' for room in rooms)


class CheckLayersTest(unittest.TestCase):
    def accepts(self, tree):
        self.assertEqual(run(tree), (0, []))

    def rejects(self, tree, start, rule):
        status, lines = run(tree)
        self.assertEqual(status, 1, lines)
        self.assertEqual(len(lines), 1, lines)
        self.assertTrue(lines[0].startswith(start), lines[0])
        self.assertIn(rule, lines[0])

    def test_folders_of_a_room_have_directions_of_their_own(self):
        files = {f"core/engines/{folder}/x.h": "" for folder in ("modulo", "detours", "balanced")}
        self.accepts(files | {"core/engines/balanced/y.cc": '#include "core/engines/modulo/x.h"\n'})
        self.accepts(files | {"core/engines/y.cc": '#include "core/engines/balanced/x.h"\n'})
        self.rejects(
            files | {"core/engines/detours/y.cc": '#include "core/engines/balanced/x.h"\n'},
            "core/engines/detours/y.cc:1:",
            "may not include core/engines/balanced",
        )

    def test_a_folder_in_a_folder_knows_few_headers_around_it(self):
        balanced = "core/engines/balanced"
        files = {f"{balanced}/{name}.h": "" for name in ("parameters", "ingress")} | {f"{balanced}/loads/x.h": ""}
        self.accepts(
            files
            | {
                f"{balanced}/y.cc": f'#include "{balanced}/loads/x.h"\n',
                f"{balanced}/loads/y.cc": f'#include "{balanced}/parameters.h"\n#include "core/engines/engines_of_room.h"\n',
                "core/engines/engines_of_room.h": "",
            }
        )
        self.rejects(
            files | {f"{balanced}/loads/y.cc": f'#include "{balanced}/ingress.h"\n'},
            f"{balanced}/loads/y.cc:1:",
            f"may not include {balanced}/ingress.h",
        )

    def test_a_folder_has_twenty_modules_at_most(self):
        modules = [f"m{number}" for number in range(20)]
        names = " ".join(f"`{module}`" for module in [*modules, "m20", "tree"])
        tree = {f"core/tree/{module}.h": "" for module in modules[:19]} | {"core/tree/README.md": names}
        self.accepts(tree)  # with tree.h of HEADERS twenty
        self.rejects(tree | {"core/tree/m20.h": ""}, "core/tree:1:", "21 modules, 20 at most")

    def test_the_file_that_knows_all_engines_is_known_by_none_of_them(self):
        self.rejects(
            {"core/engines/modulo/y.cc": '#include "core/engines/engines.h"\n'}, "core/engines/modulo/y.cc:1:", "knows all"
        )

    def test_words_that_were_given_up_do_not_come_back(self):
        self.rejects({"core/tree/x.cc": "\n// two Entrances\n"}, "core/tree/x.cc:2:", "ingress channel")
        self.accepts({"tests/tree/x.cc": "// two entrances\n"})

    def test_every_allowed_direction_is_accepted(self):
        self.accepts(
            {
                "core/base/x.cc": '#include "core/base/base.h"\n#include <vector>\n#include <fmt/format.h>\n',
                "core/fabric/x.cc": includes("base", "fabric"),
                "core/tree/x.cc": includes("base", "fabric", "tree"),
                "core/engines/x.cc": includes("base", "fabric", "tree", "schedule", "engines"),
                "core/analysis/x.cc": includes("base", "fabric", "tree", "analysis"),
                "core/schedule/x.cc": includes("base", "fabric", "tree", "schedule"),
                "core/graphs/x.cc": includes("base", "fabric", "graphs"),
                "core/io/x.cc": includes("base", "fabric", "schedule", "io"),
                "core/live/x.cc": includes("base", "fabric", "io", "live") + "#include <infiniband/ibnetdisc.h>\n",
                "core/throughput/x.cc": includes("base", "fabric", "graphs", "analysis", "throughput"),
                "core/tools/x.cc": includes(*ROOMS),
                "plugin/x.cc": includes("base", "fabric", "tree", "schedule", "engines", "analysis", "io") + '#include "plugin/opensm.h"\n',
                "plugin/opensm.h": "#include <opensm/osm_opensm.h>\n#include <infiniband/complib/cl_qmap.h>\n",
                "tests/engines/x.cc": includes(*ROOMS) + '#include "plugin/plugin.h"\n',
            }
        )

    def test_every_other_direction_is_rejected(self):
        allowed = {
            "base": {"base"},
            "fabric": {"base", "fabric"},
            "tree": {"base", "fabric", "tree"},
            "engines": {"base", "fabric", "tree", "schedule", "engines"},
            "analysis": {"base", "fabric", "tree", "analysis"},
            "schedule": {"base", "fabric", "tree", "schedule"},
            "graphs": {"base", "fabric", "graphs"},
            "throughput": {"base", "fabric", "graphs", "analysis", "throughput"},
            "io": {"base", "fabric", "schedule", "io"},
            "live": {"base", "fabric", "io", "live"},
            "tools": set(ROOMS),
        }
        for room in ROOMS:
            for target in set(ROOMS) - allowed[room]:
                with self.subTest(room=room, target=target):
                    self.rejects(
                        {f"core/{room}/x.cc": f"// first line\n{includes(target)}"},
                        f"core/{room}/x.cc:2: ",
                        f"core/{room} may not include core/{target}",
                    )

    def test_the_judge_does_not_know_the_accused(self):
        self.rejects({"core/analysis/x.h": includes("engines")}, "core/analysis/x.h:1: ", "may not include core/engines")

    def test_core_does_not_know_the_plugin_nor_the_tests(self):
        self.rejects({"core/io/x.cc": '#include "plugin/plugin.h"\n'}, "core/io/x.cc:1: ", "may not include plugin")
        self.rejects(
            {"core/tree/x.cc": '#include "tests/support/draw.h"\n', "tests/support/draw.h": ""},
            "core/tree/x.cc:1: ",
            "may not include tests",
        )

    def test_the_plugin_does_not_know_the_tools(self):
        self.rejects({"plugin/x.cc": includes("tools")}, "plugin/x.cc:1: ", "plugin may not include core/tools")

    def test_headers_of_opensm_enter_through_one_door(self):
        for header in ("opensm/osm_subnet.h", "infiniband/opensm/osm_subnet.h", "complib/cl_qmap.h", "iba/ib_types.h"):
            for file in ("core/base/x.h", "core/tools/x.cc", "plugin/snapshot.cc", "tests/opensm/x.cc"):
                with self.subTest(header=header, file=file):
                    self.rejects({file: f"#include <{header}>\n"}, f"{file}:1: ", "only plugin/opensm.h includes")

    def test_headers_of_the_infiniband_libraries_enter_core_live_only(self):
        for file in ("core/io/x.cc", "core/tools/x.cc", "plugin/run.cc"):
            with self.subTest(file=file):
                self.rejects({file: "#include <infiniband/mad.h>\n"}, f"{file}:1: ", "InfiniBand libraries")

    def test_our_headers_are_written_from_the_root(self):
        for include in ('"base.h"', '"../base/base.h"', '"core/../core/base/base.h"', '"base/base.h"'):
            with self.subTest(include=include):
                self.rejects({"core/fabric/x.cc": f"#include {include}\n"}, "core/fabric/x.cc:1: ", "from the root")

    def test_our_headers_are_written_in_quotes(self):
        self.rejects({"core/fabric/x.cc": "#include <core/base/base.h>\n"}, "core/fabric/x.cc:1: ", "with quotes")

    def test_a_missing_header_is_reported(self):
        self.rejects({"core/fabric/x.cc": '#include "core/base/gone.h"\n'}, "core/fabric/x.cc:1: ", "does not exist")

    def test_a_room_that_is_not_in_the_design_is_reported(self):
        self.rejects({"core/attic/x.h": ""}, "core/attic/x.h:1: ", "core/attic is not a room")

    def test_a_file_beside_the_rooms_is_reported(self):
        self.rejects({"core/x.h": ""}, "core/x.h:1: ", "is not a room")

    def test_spacing_does_not_hide_an_include(self):
        self.rejects({"core/base/x.h": '  #  include   "core/tree/tree.h"\n'}, "core/base/x.h:1: ", "no other room")

    def test_comments_are_not_includes(self):
        self.accepts({"core/base/x.h": f"// {includes('tree')}/* as in\n{includes('engines')}*/\n"})

    def test_what_looks_like_a_comment_does_not_hide_an_include(self):
        self.rejects(
            {"core/base/x.h": f"// tests/*/CMakeLists.txt\n{includes('tree')}// */\n"}, "core/base/x.h:2: ", "core/tree"
        )
        self.rejects(
            {"core/base/x.h": f'const char* kAll = "/*";\n{includes("tree")}// */\n'}, "core/base/x.h:2: ", "core/tree"
        )

    def test_every_violation_gets_its_line(self):
        status, lines = run({"core/base/x.h": "\n" + includes("tree", "io")})
        self.assertEqual(status, 1)
        self.assertEqual([line.split(": ")[0] for line in lines], ["core/base/x.h:2", "core/base/x.h:3"])

    def test_an_empty_tree_is_an_error_not_a_success(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, SCRIPT, "--root", folder], capture_output=True, check=False)
            self.assertNotEqual(done.returncode, 0)

    def test_files_of_a_room_can_be_compiled_as_one(self):
        def hidden(code):
            return f"namespace {{\n\n{code}\n\n}}  // namespace\n"

        def pair(one, other):
            return {"core/tree/a.cc": hidden(one), "core/tree/b.cc": hidden(other)}

        for same in ("constexpr int kMost = 1;", "struct Part {};", "int part(const Fabric& f, int n) {"):
            self.rejects(pair(same, same), "core/tree/b.cc:3: core/tree/a.cc has another ", "")
        self.rejects(pair("struct Part {};", "using Part = int;"), "core/tree/b.cc:3: core/tree/a.cc has another Part", "")
        self.accepts(pair("using Part = int;", "using Part = int;"))
        self.accepts(pair("int part(const Fabric& f) {", "int part(const Tree& t) {"))
        self.accepts({"core/tree/a.cc": hidden("struct Part {};"), "core/io/b.cc": hidden("struct Part {};")})
        self.accepts(pair("struct Part {};", "int other;") | {"core/tree/c.cc": "struct Part;\n"})

    def test_a_name_of_a_namespace_is_defined_in_one_header(self):
        def header(code, namespace="espalier"):
            return f"namespace {namespace} {{\n\n{code}\n\n}}  // namespace {namespace}\n"

        for same in ("struct Part {", "class alignas(64) Part {", "enum class Part : int {", "inline constexpr int kPart = 1;"):
            twice = {"core/tree/a.h": header(same), "core/io/b.h": header(same)}
            self.rejects(twice, "core/tree/a.h:3: core/io/b.h defines another ", "art")
            self.accepts(twice | {"core/io/b.h": header(same, "espalier::packets")})
        self.accepts({"core/tree/a.h": header("struct Part {"), "core/io/b.h": header("struct Part;")})

    def test_a_folder_of_many_modules_has_a_readme_that_names_each(self):
        few = {f"core/tree/order/m{i}.{suffix}": "" for i in range(6) for suffix in ("h", "cc")}
        many = few | {"core/tree/order/last.h": ""}
        readme = "core/tree/order/README.md"
        self.accepts(few)
        self.rejects(many, "core/tree/order:1: ", "7 modules and no README.md")
        self.rejects(many | {readme: "`m0` `m1.h` `m2` `m3` m4 `m5`"}, f"{readme}:1: ", "says nothing of last, m4")
        self.accepts(many | {readme: "`m0` `m1.h` | `m2` `m3.cc`: `m4 m5` `last`"})

    def test_the_readme_of_scripts_names_each(self):
        tree = {"scripts/a.sh": "", "scripts/b.py": "", "scripts/plots/c.svg": "", "scripts/README.md": "`a.sh` b.py"}
        self.rejects(tree, "scripts/README.md:1: ", "says nothing of b.py")
        self.accepts(tree | {"scripts/README.md": "`a.sh` `b.py`"})

    def test_the_table_of_rooms_says_what_is_enforced(self):
        real = (SCRIPT.parents[1] / "core" / "README.md").read_text(encoding="utf-8")
        number = real[: real.index("| `tree/` |")].count("\n") + 1
        self.accepts({"core/README.md": real})
        row = next(line for line in real.splitlines() if line.startswith("| `tree/` |"))
        more = {"core/README.md": real.replace(row, row.replace("base, fabric", "base, fabric, io"))}
        self.rejects(more, f"core/README.md:{number}: ", "tree may include base, fabric, not base, fabric, io")
        self.rejects({"core/README.md": real.replace(row + "\n", "")}, "core/README.md:1: ", "has no row for tree")

    def test_a_table_of_folders_says_what_is_enforced(self):
        real = (SCRIPT.parents[1] / "core" / "repair" / "README.md").read_text(encoding="utf-8")
        self.accepts({"core/repair/README.md": real})
        row = next(line for line in real.splitlines() if line.startswith("| [`file/`]"))
        number = real[: real.index(row)].count("\n") + 1
        more = {"core/repair/README.md": real.replace(row, row.replace("| reference |", "| reference, lanes |"))}
        self.rejects(more, f"core/repair/README.md:{number}: ", "file may include reference, not reference, lanes")


if __name__ == "__main__":
    unittest.main()
