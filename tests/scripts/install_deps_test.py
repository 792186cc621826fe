#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""scripts/install_deps.sh with a dnf and a zypper of our own, which write down what they are asked for."""
import os
import pathlib
import re
import stat
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).parents[2] / "scripts" / "install_deps.sh"
GROUPS = ("run", "test", "plot", "fuzz", "package")


def debian_names():
    """All names of the groups at the head of the script."""
    head = SCRIPT.read_text().split("declare -A")[0]
    head = re.sub(r"#.*", "", head)
    return {name for group in GROUPS for name in re.search(rf"^{group}=\((.*?)\)", head, re.S | re.M).group(1).split()}


class InstallDeps(unittest.TestCase):
    def call(self, manager, *groups, lacks="nothing"):
        with tempfile.TemporaryDirectory() as folder:
            asked = pathlib.Path(folder) / "asked"
            for name, text in {
                manager: f'#!/bin/sh\ncase "$*" in *" {lacks}") exit 1 ;; esac\nfor last; do :; done\necho "$last" >>{asked}\n',
                "rpm": "#!/bin/sh\nexit 1\n",
                "sudo": '#!/bin/sh\nexec "$@"\n',
            }.items():
                program = pathlib.Path(folder) / name
                program.write_text(text)
                program.chmod(program.stat().st_mode | stat.S_IXUSR)
            environment = dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}", ESPALIER_PACKAGE_MANAGER=manager)
            done = subprocess.run([SCRIPT, *groups], env=environment, capture_output=True, text=True)
            return done, set(asked.read_text().split()) if asked.exists() else set()

    def test_dnf_installs_everything_that_a_build_needs(self):
        done, asked = self.call("dnf", "run")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLessEqual({"gcc-c++", "opensm-devel", "tbb-devel", "rdma-core-devel"}, asked)
        self.assertNotIn("-", asked)

    def test_what_a_release_lacks_is_named_and_does_not_keep_the_others_away(self):
        done, asked = self.call("dnf", "run", lacks="simgrid-devel")
        self.assertEqual(done.returncode, 1)
        self.assertIn("dnf cannot install: simgrid-devel", done.stderr)
        self.assertIn("docs/install.md", done.stderr)
        self.assertIn("zlib-devel", asked)

    def test_zypper_names_what_nobody_has_there(self):
        done, asked = self.call("zypper", "run")
        self.assertEqual(done.returncode, 1)
        for name in ("libcadical-dev", "libexpected-dev", "libsimgrid-dev"):
            self.assertIn(name, done.stderr)
        self.assertIn("opensm-devel", asked)

    def test_every_package_has_a_name_or_a_dash_for_each_manager(self):
        text = SCRIPT.read_text()
        for manager in ("dnf", "zypper"):
            table = re.search(rf"declare -A {manager}_name=\((.*?)\)\n", text, re.S).group(1)
            self.assertEqual(debian_names() - set(re.findall(r"\[([^]]+)\]=", table)), set(), manager)


if __name__ == "__main__":
    unittest.main()
