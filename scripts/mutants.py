#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Mutation testing: do the unit tests notice a changed operator?

Draws operators of core/ and plugin/ at random (seeded), changes one at a time, compiles the one file, links it in front
of the libraries into each test program that uses it, its own room's first, then into the command, which the tests of
tools run, then into the others, and stops at the first that fails. Needs a build directory made with Ninja in which the
test programs have been built; changes nothing there. Prints one line per mutant and, at the end, how many were killed.
Survivors are missing tests, or changes that make no difference. With --results a run that was stopped goes on where it
was.

    cmake --build build/dev && scripts/mutants.py --build build/dev --sample 100 --seed 1001 --results mutants.txt
"""
import argparse
import collections
import json
import os
import pathlib
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# clang-format puts blanks around binary operators and none around template brackets and references.
SWAPS = {" < ": " <= ", " <= ": " < ", " > ": " >= ", " >= ": " > ", " == ": " != ", " != ": " == ", " && ": " || ",
         " || ": " && ", " + ": " - ", " - ": " + ", " * ": " / ", " % ": " / ", " += ": " -= ", " -= ": " += "}
OPERATOR = re.compile("|".join(map(re.escape, sorted(SWAPS, key=len, reverse=True))))
NO_CODE = re.compile(r'//[^\n]*|R"(\w*)\(.*?\)\1"|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'|^#[^\n]*', re.S | re.M)


def places(text):
    """[(offset, old, new)] of all operators outside of comments, literals and preprocessor lines."""
    blank = NO_CODE.sub(lambda m: re.sub(r"[^\n]", "\0", m.group()), text)
    # Adding strings has no minus: these would not compile.
    return [(m.start(), m.group(), SWAPS[m.group()]) for m in OPERATOR.finditer(blank)
            if not (m.group() in (" + ", " += ") and "\0" in blank[max(0, m.start() - 1):m.end() + 1])]


def draw(sources, sample, seed):
    """`sample` mutants, every operator as likely as any other: [(path, offset, old, new)] by path and offset."""
    every = [(path, *place) for path, text in sorted(sources.items()) for place in places(text)]
    return sorted(random.Random(seed).sample(every, min(sample, len(every))))


def first_to_ask(programs, path):
    """The programs with the test of this file's own room first, then those of the command."""
    parts = path.split("/")
    room = "plugin" if parts[0] == "plugin" else parts[1]
    return sorted(programs, key=lambda name: (not name.startswith(room), name != "tools", name))


def own_tests(path):
    """The filter for the suites named after this file: core/tree/order/host_order.cc has its tests in HostOrder or the like."""
    return "*" + "".join(word.capitalize() for word in pathlib.Path(path).stem.split("_")) + "*"


def library(target):
    """The library that has this object."""
    return re.sub(r"CMakeFiles/(\w+)\.dir/.*", r"lib\1.a", target)


def links(command, target):
    """Whether this link command takes the object, by itself or in its library."""
    return f" {target} " in command or library(target) in command


def succeeds(command, folder, limit):
    """Whether this shell command ends with 0 within `limit` seconds; if it takes longer, all that it started is killed."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, shell=True, cwd=folder, start_new_session=True, **quiet) as process:
        try:
            return process.wait(limit) == 0
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return False


class Build:
    def __init__(self, folder):
        self.folder = folder
        self.linker = " -fuse-ld=mold" if shutil.which("mold") else ""  # a tenth of the time of GNU ld
        commands = json.loads((folder / "compile_commands.json").read_text())
        self.compile = {}  # by source, the commands of all its objects: [(object, command)]
        for c in commands:
            source = str(pathlib.Path(c["file"]).resolve().relative_to(ROOT))
            target = re.search(r" -o (\S+) ", c["command"]).group(1)
            self.compile.setdefault(source, []).append((target, c["command"]))
        self.link = {}  # by test program, its link command
        for program in sorted(folder.glob("tests/*/*_test")) + sorted(folder.glob("*_test")):
            name = str(program.relative_to(folder))
            if line := self.link_command(name):
                self.link[name.split("/")[-1].removesuffix("_test")] = (name, line)
        self.command = {name: self.link_command(name) for name in ("espalier", "espalier-models")}

    def link_command(self, name):
        """The command that links this program, without the step that lists its tests; empty if there is none."""
        out = subprocess.run(["ninja", "-C", self.folder, "-t", "commands", "-s", name], capture_output=True, text=True)
        return ([""] + [x for x in out.stdout.splitlines() if f" -o {name} " in x])[-1].split(" && cd ")[0]

    def users(self, target):
        """Test programs that link this object or the library that has it, or run the command that has it."""
        users = [name for name, (_, command) in self.link.items() if links(command, target)]
        of_command = any(links(command, target) for command in self.command.values())
        return users + ["tools"] * (of_command and "tools" not in users)

    def compiles(self, path, text, work):
        """The mutated objects by the targets that they replace, or None if the compiler refuses."""
        mutated = work / ("mutant" + pathlib.Path(path).suffix)
        mutated.write_text(text)
        objects = {}
        for i, (target, command) in enumerate(self.compile[path]):
            result = str(work / f"mutant{i}.o")
            words = shlex.split(command)
            words[words.index("-o") + 1] = result
            words[words.index("-c") + 1] = str(mutated)
            words = [w for w in words if w != "ccache" and not w.startswith("-W")]
            if not succeeds(shlex.join(words), self.folder, 600):
                return None
            objects[target] = result
        return objects

    def relink(self, program, command, objects, work):
        """The program with these objects; None if it cannot be linked."""
        binary = work / program.split("/")[-1]
        command = command.replace(f" -o {program} ", f"{self.linker} -o {binary} ")
        for target, result in objects.items():
            if f" {target} " in command:
                command = command.replace(f" {target} ", f" {result} ")
            elif links(command, target):
                command = command.replace(f" -o {binary} ", f" {result} -o {binary} ", 1)
        return binary if succeeds(command, self.folder, 600) else None

    def mutated_command(self, objects, work):
        """What the tests of tools run in place of the command, as an assignment in front of a shell command."""
        for name, command in self.command.items():
            if any(links(command, target) for target in objects):
                self.relink(name, command, objects, work)
        if not any((work / name).exists() for name in self.command):
            return ""
        for name in self.command:
            if not (work / name).exists():
                shutil.copy(self.folder / name, work / name)  # the command looks beside itself for the other
        return f"ESPALIER_COMMAND={work}/espalier "

    def survives(self, name, path, objects, work, limit):
        """Whether this test program still passes with these objects; the tests of the file itself are asked first."""
        program, command = self.link[name]
        binary = self.relink(program, command, objects, work)
        if binary is None:
            return True  # cannot be linked: says nothing
        other = self.mutated_command(objects, work) if name == "tools" else ""
        tests = f"cd {(self.folder / program).parent} && {other}{binary} --gtest_brief=1 --gtest_fail_fast --gtest_filter="
        filters = [own_tests(path), *(["*Pinned*"] if name == "tools" else []), "*"]
        return all(succeeds(f"{tests}'{tests_of}'", self.folder, limit) for tests_of in filters)


def try_mutant(build, mutant, options, work):
    """'killed by NAME', 'alive' or 'does not compile'."""
    path, offset, old, new = mutant
    text = (ROOT / path).read_text()
    objects = build.compiles(path, text[:offset] + new + text[offset + len(old):], work)
    if objects is None:
        return "does not compile"
    programs = {name for target in objects for name in build.users(target)}
    for name in first_to_ask(programs, path)[:options.programs]:
        if not build.survives(name, path, objects, work, options.limit):
            return f"killed by {name}"
    return "alive" if programs else "no test program"


class Results:
    """Answers by mutant, as lines of a file if one is named, so that a later run skips what was answered."""

    def __init__(self, path):
        self.path = path
        lines = path.read_text().splitlines() if path and path.exists() else []
        self.answers = dict(line.rsplit(": ", 1) for line in lines)

    def add(self, mutant, answer):
        self.answers[mutant] = answer
        if self.path:
            with self.path.open("a") as file:
                file.write(f"{mutant}: {answer}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/dev", help="build directory with Ninja")
    parser.add_argument("--sample", type=int, default=100, help="number of mutants")
    parser.add_argument("--seed", type=int, default=1, help="seed of the draw")
    parser.add_argument("--only", default="", help="only paths that contain this")
    parser.add_argument("--programs", type=int, default=100, help="test programs to ask per mutant, at most")
    parser.add_argument("--limit", type=int, default=300, help="seconds for a test program; longer counts as killed")
    parser.add_argument("--results", type=pathlib.Path, help="file of answers: these mutants are not tried again")
    parser.add_argument("--list", action="store_true", help="print the mutants and do nothing else")
    options = parser.parse_args()
    os.nice(10)
    results = Results(options.results)
    build = None if options.list else Build(options.build.resolve())
    sources = {str(p.relative_to(ROOT)): p.read_text() for top in ("core", "plugin") for p in (ROOT / top).rglob("*.cc")}
    sources = {p: t for p, t in sources.items() if options.only in p and (build is None or p in build.compile)}
    tally = collections.Counter()
    for mutant in draw(sources, options.sample, options.seed):
        path, offset, old, new = mutant
        label = f"{path}:{sources[path].count(chr(10), 0, offset) + 1}:{offset}:{old}->{new}"
        if build is not None and label not in results.answers:
            with tempfile.TemporaryDirectory() as work:
                results.add(label, try_mutant(build, mutant, options, pathlib.Path(work)))
        answer = results.answers.get(label, "")
        tally[answer.split(" ")[0]] += 1
        print(f"{label}: {answer}", flush=True)
    killed, alive = tally["killed"], tally["alive"] + tally["no"]
    if build is not None:
        print(f"{killed} of {killed + alive} killed; {tally['does']} did not compile")
    return 0


if __name__ == "__main__":
    sys.exit(main())
