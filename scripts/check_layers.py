#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Checks that every #include points in an allowed direction.

Espalier is built of rooms, and each room may look only at the rooms below it:

    base <- fabric <- tree <- schedule <- engines     tools see all of core
                           <- analysis                plugin sees core, but not tools
                           <- schedule <- io          tests see everything
            fabric <- io <- live                      analysis <- simulation
            engines, analysis <- repair
            fabric <- graphs <- throughput -> analysis
            fabric <- dragonfly <- engines, packets

engines and analysis do not see each other: the judge does not know the accused. They
meet in pipeline and in repair, which tools and the plugin use.
The headers of OpenSM enter through plugin/opensm.h and nowhere else; the headers
of the InfiniBand libraries (umad, mad, ibnetdisc) also in core/live, which asks
running subnets. Our own headers are written "core/room/file.h", from the root.

Inside a room its folders have directions of their own (INNER). Words that were
given up for the field's own do not come back (RETIRED). Files of one room can be
compiled as one, and no two headers define a name (anonymous_names.py). A folder of more than six modules has a
README that says of each what it is for, and no folder has more than twenty; scripts/README.md names every script.
The table of rooms in core/README.md says what is enforced here (ALLOWED), that in core/repair/README.md likewise (INNER).

Usage: check_layers.py [--root DIR]
Prints one line `file:line: rule` per violation; exit status 1 if there is any.
"""

import argparse
import re
import sys
from collections import defaultdict
from pathlib import Path

from anonymous_names import collisions, declared_twice

# Room -> rooms that it may include besides itself. A room that is not here is not part of the design.
ALLOWED = {
    "core/base": set(),
    "core/fabric": {"core/base"},
    "core/tree": {"core/base", "core/fabric"},
    "core/dragonfly": {"core/base", "core/fabric"},
    "core/engines": {"core/base", "core/fabric", "core/tree", "core/dragonfly", "core/schedule"},
    "core/analysis": {"core/base", "core/fabric", "core/tree"},
    "core/pipeline": {"core/base", "core/fabric", "core/tree", "core/engines", "core/analysis"},
    "core/schedule": {"core/base", "core/fabric", "core/tree"},
    "core/graphs": {"core/base", "core/fabric"},
    "core/io": {"core/base", "core/fabric", "core/schedule"},
    "core/repair": {"core/base", "core/fabric", "core/tree", "core/engines", "core/analysis"},
    "core/live": {"core/base", "core/fabric", "core/io"},
    "core/packets": {"core/base", "core/fabric", "core/dragonfly"},
    "core/simulation": {"core/base", "core/fabric", "core/analysis"},
    "core/throughput": {"core/base", "core/fabric", "core/graphs", "core/analysis"},
    "core/tools": {
        "core/base",
        "core/fabric",
        "core/tree",
        "core/dragonfly",
        "core/engines",
        "core/analysis",
        "core/pipeline",
        "core/schedule",
        "core/graphs",
        "core/io",
        "core/live",
        "core/packets",
        "core/repair",
        "core/simulation",
        "core/throughput",
    },
    "plugin": {
        "core/base",
        "core/fabric",
        "core/tree",
        "core/dragonfly",
        "core/schedule",
        "core/engines",
        "core/analysis",
        "core/pipeline",
        "core/repair",
        "core/io",
    },
}
# Folder in a room -> other folders of the room that it may include, besides headers of the room itself. Folders that are
# not here include what they like.
INNER = {
    "core/analysis/congestion": {"core/analysis/routes"},
    "core/analysis/routes": set(),
    "core/analysis/soundness": {"core/analysis/routes"},
    "core/engines/balanced": {"core/engines/ftree", "core/engines/modulo"},
    "core/engines/detours": {"core/engines/modulo"},
    "core/engines/ftree": {"core/engines/modulo"},
    "core/engines/modulo": set(),
    "core/io/export": {"core/io/lists"},
    "core/io/lft": set(),
    "core/io/lists": set(),
    "core/io/net": set(),
    "core/io/subnet": {"core/io/lft", "core/io/net"},
    "core/repair/broken": {"core/repair/memory", "core/repair/reference", "core/repair/survivors"},
    "core/repair/detours": {"core/repair/broken", "core/repair/reference"},
    "core/repair/file": {"core/repair/reference"},
    "core/repair/lanes": {"core/repair/reference", "core/repair/survivors"},
    "core/repair/memory": set(),
    "core/repair/new_equipment": {"core/repair/reference", "core/repair/survivors"},
    "core/repair/new_paths": {"core/repair/broken", "core/repair/reference"},
    "core/repair/reference": {"core/repair/memory", "core/repair/survivors"},
    "core/repair/survivors": {"core/repair/memory"},
    "core/schedule/client": set(),
    "core/fabric/choices": set(),
    "core/fabric/rules": set(),
    "core/schedule/combinatorics": set(),
    "core/tree/cabling": set(),
    "core/tree/order": set(),
}
# Folder in such a folder -> headers right around it that it may include.
NESTED = {
    "core/analysis/soundness/dependencies": set(),
    "core/engines/balanced/loads": {"core/engines/balanced/host_columns.h", "core/engines/balanced/parameters.h"},
    "core/engines/layers/lanes": {"core/engines/layers/switch_graph.h"},
}
# Headers of a room that its folders may not include: who knows all is known by none.
KNOWS_ALL = {"core/engines/engines.h", "core/repair/repairable_reference.h"}

# Private words -> what the field says. In core and plugin, comments included.
RETIRED = {
    "CableId": "TreeChannelId, ChannelId: a channel is one direction of a link",
    "kNoCable": "kNoHop",
    "entrance": "ingress channel",
    "inbound": "ingress",
    "dealer": "round robin",
    "evener": "multiplicative weights",
    "loyalty": "hysteresis",
    "glance": "sampled estimate",
    "behind_wall": "exception guard",
    "BentRoutes": "deflected routes",
    "FlowWays": "FlowPaths",
    "GroupWays": "GroupPaths",
    "LaidTops": "demoted top switches",
    "lay_below": "demote",
    "number_of_throw": "trial",
    "odd_top": "top switch to demote",
    "Outlook": "local port",
    "Scene": "analysis context",
    "steady_form": "stable form: the fault-stable closed form",
    "colour": "color",
    "neighbour": "neighbor",
}
ROOTS = ("core", "plugin", "tests")
MOST_MODULES_WITHOUT_README = 6  # a header and its source are one module
MOST_MODULES = 20
SOURCE_SUFFIXES = {".h", ".hh", ".hpp", ".c", ".cc", ".cpp", ".inc"}

RETIRED_WORD = re.compile(rf"\b({'|'.join(RETIRED)})s?\b", re.IGNORECASE)
PROBE = "plugin/probe"  # a library of its own
OPENSM_DOOR = "plugin/opensm.h"
OPENSM_HEADER = re.compile(r"(infiniband/)?(opensm|complib|iba|vendor)/")
INFINIBAND_HEADER = re.compile(r"infiniband/")

# A row of the table of rooms; what may be included ends before a remark.
ROOM_ROW = re.compile(r"\| `(?P<room>[a-z]+)/` \|[^|]*\|(?P<rooms>[^|;]*)[^|]*\|$")
# The same of a folder in a room, in the README of the room.
FOLDER_ROW = re.compile(r"\| \[`(?P<folder>\w+)/`\]\([^)]*\) \|[^|]*\|(?P<folders>[^|]*)\|$")
INCLUDE = re.compile(r'^\s*#\s*include\s*(?P<open>[<"])(?P<path>[^>"]*)[>"]')
# A comment, or a string literal: "/*" in a string or after // opens no block comment.
COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)


def room_of(path):
    """The room that a path from the root belongs to: 'core/tree', 'plugin', 'tests'; None if in no room."""
    parts = path.split("/")
    if parts[0] == "core":
        return "/".join(parts[:2]) if len(parts) > 2 else None
    return parts[0] if parts[0] in ("plugin", "tests") and len(parts) > 1 else None


def violation(root, including, included, quoted):
    """The rule that `#include` of `included` in `including` breaks, as a sentence, or None."""
    is_door = including == OPENSM_DOOR
    room = room_of(including)

    if OPENSM_HEADER.match(included):
        return None if is_door else f"only {OPENSM_DOOR} includes headers of OpenSM, this is {included}"
    if INFINIBAND_HEADER.match(included):
        if is_door or room == "core/live":
            return None
        return f"only {OPENSM_DOOR} and core/live include headers of the InfiniBand libraries, this is {included}"

    target = room_of(included)
    if target is None or ".." in included.split("/"):
        if quoted:
            return f'our headers are included from the root, "core/room/file.h", not "{included}"'
        return None  # <vector> and the like
    if not quoted:
        return f'our headers are included with quotes: "{included}"'
    if not (root / included).is_file():
        return f"{included} does not exist"
    if room == "tests":
        return None
    if target == room:
        return inner_violation(including, included)
    if target not in ALLOWED[room]:
        return f"{room} may not include {target} ({included}); {may_include(ALLOWED[room])}"
    return None


def folder_of(path):
    """The folder in a room that a path belongs to: 'core/engines/modulo'; None for a file of the room itself."""
    parts = path.split("/")
    return "/".join(parts[:3]) if parts[0] == "core" and len(parts) > 3 else None


def inner_violation(including, included):
    """The rule on folders of one room that the #include breaks, as a sentence, or None."""
    nested, around = including.rsplit("/", 1)[0], included.rsplit("/", 1)[0]
    if nested in NESTED and nested.startswith(f"{around}/") and around != room_of(included) and included not in NESTED[nested]:
        return f"{nested} may not include {included}; {may_include(NESTED[nested], 'header around it')}"
    folder, target = folder_of(including), folder_of(included)
    if folder is None or folder == target:
        return None
    if target is None:
        return f"{folder} may not include {included}, which knows all of the room" if included in KNOWS_ALL else None
    if folder not in INNER or target in INNER[folder]:
        return None
    return f"{folder} may not include {target} ({included}); {may_include(INNER[folder], 'folder')}"


def retired_words(text):
    """Yields (line number, word, what to say instead)."""
    instead = {word.lower(): reason for word, reason in RETIRED.items()}
    for number, line in enumerate(text.splitlines(), start=1):
        for match in RETIRED_WORD.finditer(line):
            yield number, match[0], instead[match[1].lower()]


def may_include(allowed, what="room"):
    return f"it may include {', '.join(sorted(allowed))}" if allowed else f"it includes no other {what}"


def includes_of(text):
    """Yields (line number, path, quoted) of each #include directive outside comments."""
    text = COMMENT_OR_STRING.sub(lambda m: m[0] if m[0].startswith('"') else "\n" * m[0].count("\n"), text)
    for number, line in enumerate(text.splitlines(), start=1):
        if match := INCLUDE.match(line):
            yield number, match["path"], match["open"] == '"'


def undescribed(root):
    """Yields (folder or README, sentence) of folders with more modules than a reader can keep apart, or that no README names."""
    modules = defaultdict(set)
    for path in sources(root):
        if path.relative_to(root).parts[0] != "tests":
            modules[path.parent].add(path.stem)
    for folder, names in sorted(modules.items()):
        if len(names) <= MOST_MODULES_WITHOUT_README:
            continue
        if len(names) > MOST_MODULES:
            yield folder.relative_to(root).as_posix(), f"{len(names)} modules, {MOST_MODULES} at most"
        readme = folder / "README.md"
        if not readme.is_file():
            yield folder.relative_to(root).as_posix(), f"{len(names)} modules and no README.md that says what they are"
            continue
        if missing := sorted(names - {word.split(".")[0] for word in named_in(readme)}):
            yield readme.relative_to(root).as_posix(), f"says nothing of {', '.join(missing)}"


def undescribed_scripts(root):
    """Yields (README, sentence) if the README of scripts does not name all of them."""
    readme = root / "scripts" / "README.md"
    if readme.is_file():
        scripts = {path.name for path in readme.parent.iterdir() if path.suffix in (".py", ".sh")}
        if missing := sorted(scripts - named_in(readme)):
            yield "scripts/README.md", f"says nothing of {', '.join(missing)}"


def named_in(readme):
    """The words between backticks."""
    return set(re.findall(r"[\w.-]+", " ".join(re.findall(r"`([^`\n]+)`", readme.read_text(encoding="utf-8")))))


def misdescribed_rooms(root):
    """Yields (line number, sentence) where the table of rooms in core/README.md differs from ALLOWED."""
    readme = root / "core" / "README.md"
    if not readme.is_file():
        return
    allowed = {room.removeprefix("core/"): {r.removeprefix("core/") for r in rooms}
               for room, rooms in ALLOWED.items() if room.startswith("core/")}  # fmt: skip
    said = {}
    for number, line in enumerate(readme.read_text(encoding="utf-8").splitlines(), start=1):
        if match := ROOM_ROW.match(line):
            room, rooms = match["room"], match["rooms"].strip()
            everything = {"nothing": set(), "all of core": allowed.keys() - {room}}
            said[room] = number, everything.get(rooms, set(re.split(", *", rooms)))
    for room, rooms in allowed.items():
        number, listed = said.get(room, (1, None))
        if listed is None:
            yield number, f"has no row for {room}"
        elif listed != rooms:
            yield number, f"{room} may include {', '.join(sorted(rooms)) or 'nothing'}, not {', '.join(sorted(listed)) or 'nothing'}"


def misdescribed_folders(root):
    """Yields (README, line number, sentence) where the table of folders of a room differs from INNER, if it says what they include."""
    for room in sorted({folder.rsplit("/", 1)[0] for folder in INNER}):
        readme = root / room / "README.md"
        lines = readme.read_text(encoding="utf-8").splitlines() if readme.is_file() else []
        for number, line in enumerate(lines, start=1):
            match = FOLDER_ROW.match(line)
            if not match or (allowed := INNER.get(f"{room}/{match['folder']}")) is None:
                continue
            names = {folder.rsplit("/", 1)[1] for folder in allowed}
            if names != {name.strip() for name in match["folders"].split(",") if name.strip()}:
                what = f"{match['folder']} may include {', '.join(sorted(names)) or 'nothing'}"
                yield f"{room}/README.md", number, f"{what}, not {match['folders'].strip() or 'nothing'}"


def sources(root):
    for top in ROOTS:
        yield from sorted(p for p in (root / top).rglob("*") if p.suffix in SOURCE_SUFFIXES and p.is_file())


def check(root):
    """Returns (violations as printable lines, number of files read)."""
    found, files = [], 0
    rooms = defaultdict(dict)  # sources by library
    headers = {}
    for path in sources(root):
        files += 1
        name = path.relative_to(root).as_posix()
        room = room_of(name)
        if room != "tests" and room not in ALLOWED:
            found.append(f"{name}:1: {room or 'this place'} is not a room of the design (see ALLOWED in check_layers.py)")
            continue
        text = path.read_text(encoding="utf-8")
        if room != "tests":
            for line, word, instead in retired_words(text):
                found.append(f"{name}:{line}: {word} is a word that we gave up: {instead}")
            if path.suffix == ".h":
                headers[name] = text
            if path.suffix == ".cc":
                rooms[PROBE if name.startswith(PROBE) else room][name] = text
        for line, included, quoted in includes_of(text):
            if rule := violation(root, name, included, quoted):
                found.append(f"{name}:{line}: {rule}")
    for texts in rooms.values():
        found += [f"{name}:{line}: {rule}" for name, line, rule in collisions(texts)]
    found += [f"{name}:{line}: {rule}" for name, line, rule in declared_twice(headers)]
    found += [f"{name}:1: {rule}" for name, rule in (*undescribed(root), *undescribed_scripts(root))]
    found += [f"core/README.md:{line}: {rule}" for line, rule in misdescribed_rooms(root)]
    found += [f"{name}:{line}: {rule}" for name, line, rule in misdescribed_folders(root)]
    return found, files


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    found, files = check(parser.parse_args().root.resolve())
    if files == 0:
        sys.exit("check_layers: no source file found, wrong --root?")
    for line in found:
        print(line)
    print(f"check_layers: {files} files, {len(found)} violations", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
