#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Pins anew what command lines print and write, after a change on purpose: `--update` of snapshot tests.

Runs the built tests of tests/tools/pinned_outputs.txt, puts the checksums that they found in place of those that differ,
and prints the command lines concerned. The file has checksums only: to see what has changed, name the command as it was
before (keep a copy of build/dev/espalier); both then run, and their outputs are compared line by line. A new
command line gets its checksum here as well: write any word in front of it.

    cmake --build build/dev --target espalier tools_test
    scripts/pin_outputs.py --build build/dev --before old/espalier          # all blocks; takes minutes
    scripts/pin_outputs.py --build build/dev --check help check             # these blocks; changes nothing

Exit code 0: the pins are those of the built command now. 1: with --check, some are not. 2: the tests did not run.
"""
import argparse
import difflib
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PINS = ROOT / "tests/tools/pinned_outputs.txt"
# As the test sets them.
ENVIRONMENT = {"FABRICS": str(ROOT / "tests/fabrics"), "SOURCE_DATE_EPOCH": "1795521600"}


def read_blocks(text):
    """{name: ["CHECKSUM ARGUMENTS"]} in the order of the file."""
    blocks, lines = {}, []
    for line in text.splitlines():
        if line.startswith("## "):
            lines = blocks.setdefault(line[3:], [])
        elif line and not line.startswith("#"):
            lines.append(line)
    return blocks


def found_now(build, names):
    """What the built test finds, {name: lines}; None: it did not run to its end."""
    with tempfile.TemporaryDirectory() as folder:
        shards = os.cpu_count() or 1
        chosen = ":".join(f"*/Pinned.*/{name}" for name in names)
        processes = []
        for shard in range(shards):
            environment = os.environ | {"ESPALIER_PINS": folder, "GTEST_TOTAL_SHARDS": str(shards),
                                        "GTEST_SHARD_INDEX": str(shard)}  # fmt: skip
            processes.append(subprocess.Popen([build / "tools_test", f"--gtest_filter={chosen}"], env=environment,
                                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))  # fmt: skip
        for process in processes:
            process.wait()
        files = {name: pathlib.Path(folder, name) for name in names}
        if not all(file.exists() for file in files.values()):
            return None
        return {name: read_blocks(file.read_text(encoding="utf-8"))[name] for name, file in files.items()}


def outputs(command, lines):
    """Of each command line of a block, what it prints and writes, as lines of text."""
    shown, before = [], {}
    with tempfile.TemporaryDirectory() as folder:
        for line in lines:
            done = subprocess.run(["sh", "-c", f"exec </dev/null; '{command}' {line.split(' ', 1)[1]}"], cwd=folder,
                                  env=os.environ | ENVIRONMENT, capture_output=True, check=False)  # fmt: skip
            text = [f"exit code {done.returncode}"]
            text += (done.stdout + done.stderr).decode(errors="replace").replace(folder, "FOLDER").splitlines()
            after = {file.relative_to(folder): file.read_bytes() for file in sorted(pathlib.Path(folder).rglob("*"))
                     if file.is_file()}  # fmt: skip
            for name, content in after.items():
                if before.get(name) != content:
                    text += [f"file {name}:", *content.decode(errors="replace").replace(folder, "FOLDER").splitlines()]
            before = after
            shown.append(text)
    return shown


def print_changes(name, old, new, before, command, most):
    changed = [i for i, (was, now) in enumerate(zip(old, new)) if was != now]
    if not changed:
        return
    last = new[: changed[-1] + 1]
    texts = zip(outputs(before, last), outputs(command, last)) if before else None
    pairs = list(texts) if texts else []
    for i in changed:
        print(f"{name}: espalier {new[i].split(' ', 1)[1]}")
        if pairs:
            difference = list(difflib.unified_diff(*pairs[i], "before", "now", lineterm="", n=1))[2:]
            print("".join(f"    {line}\n" for line in difference[:most]), end="")
            if len(difference) > most:
                print(f"    ... {len(difference) - most} lines more")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/dev", help="build directory")
    parser.add_argument("--before", type=pathlib.Path, help="the command as it was, to show what has changed")
    parser.add_argument("--check", action="store_true", help="only say what differs")
    parser.add_argument("--rows", type=int, default=40, help="lines of difference shown of each command line")
    parser.add_argument("--pins", type=pathlib.Path, default=PINS, help=argparse.SUPPRESS)
    parser.add_argument("blocks", nargs="*", help="names behind ## in the file; default: all")
    options = parser.parse_args()

    text = options.pins.read_text(encoding="utf-8")
    old = read_blocks(text)
    unknown = [name for name in options.blocks if name not in old]
    if unknown:
        parser.error(f"{options.pins} has no block {unknown[0]}")
    new = found_now(options.build.resolve(), options.blocks or list(old))
    if new is None:
        print(f"pin_outputs.py: {options.build}/tools_test did not run to its end; build it, and run it by hand",
              file=sys.stderr)  # fmt: skip
        return 2
    command = options.build.resolve() / "espalier"
    before = options.before.resolve() if options.before else None
    for name, lines in new.items():
        print_changes(name, old[name], lines, before, command, options.rows)
    changed = sum(was != now for name, lines in new.items() for was, now in zip(old[name], lines))
    print(f"{changed} of {sum(map(len, new.values()))} pins differ")
    if options.check:
        return 1 if changed else 0
    renewed = text.splitlines()
    block, place = "", 0
    for i, line in enumerate(renewed):
        if line.startswith("## "):
            block, place = line[3:], 0
        elif line and not line.startswith("#"):
            if block in new:
                renewed[i] = new[block][place]
            place += 1
    if changed:
        options.pins.write_text("\n".join(renewed) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
