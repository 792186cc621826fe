# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Names that two files give to different things: in anonymous namespaces of one room, and in headers of all rooms.

The release preset compiles many files of a room as one (CMake's unity build), so such names meet there: types and
constants collide, a function hides behind another of its name. Functions may share a name if their parameters differ in
number or in their first type, and an alias may be repeated as it is. For check_layers.py.
"""

import re

INSIDE = re.compile(r"^namespace \{$(.*?)^\}  // namespace$", re.S | re.M)
TYPE = re.compile(r"^(?:template <[^\n]*>\s)?(?:struct|class|enum class) (\w+)", re.M)
ALIAS = re.compile(r"^using (\w+) = ([^;]+);", re.M)
CONSTANT = re.compile(r"^(?:constexpr|const|thread_local)\b[^\n(]*?(\w+)(?:\[[^\]]*\])*(?: =|\{|;)", re.M)
FUNCTION = re.compile(r"^(?!using|return|struct|class|static_assert)[A-Za-z\[][^\n;={}()]*?[\s&*](\w+)\(([^()]*)\)", re.M)


def definitions(text):
    """Yields (offset, name, what it is): two files may have the same name for what differs, or for the same alias."""
    for part in INSIDE.finditer(text):
        body, start = part[1], part.start(1)
        for match in TYPE.finditer(body):
            yield start + match.start(), match[1], "type or constant"
        for match in CONSTANT.finditer(body):
            yield start + match.start(), match[1], "type or constant"
        for match in ALIAS.finditer(body):
            yield start + match.start(), match[1], f"alias of {match[2]}"
        for match in FUNCTION.finditer(body):
            first, *others = match[2].split(",") if match[2].strip() else [""]
            kind = re.sub(r"\bconst\b|[&\s]|\b\w+\s*$", "", first)
            yield start + match.start(), match[1], f"function of {1 + len(others)} from {kind}"


def collide(one, other):
    """Whether definitions of one name in two files cannot stand in one."""
    is_function = one.startswith("function"), other.startswith("function")
    if all(is_function) or one.startswith("alias") and other.startswith("alias"):
        return (one == other) == all(is_function)
    return True


def collisions(texts):
    """[(path, line, rule)] for the sources of one room, {path: text}."""
    seen, found = {}, []
    for path, text in sorted(texts.items()):
        for offset, name, what in sorted(set(definitions(text))):
            other = next((p for p, w in seen.get(name, []) if p != path and collide(what, w)), None)
            if other is not None:
                line = text.count("\n", 0, offset) + 1
                found.append((path, line, f"{other} has another {name} in its anonymous namespace; a unity build joins the files"))
            seen.setdefault(name, []).append((path, what))
    return found


# What a header declares at the level of its namespace.
NAMESPACE = re.compile(r"^namespace ([\w:]+) \{", re.M)
IN_HEADER = re.compile(
    r"^(?:struct|class|enum class) (?:alignas\([^)]*\) )?(\w+)[^;\n]*\{"
    r"|^inline const(?:expr)?\b[^\n(]*?(\w+)(?:\[[^\]]*\])*(?: =|\{|;)",
    re.M,
)


def declared_twice(headers):
    """[(path, line, rule)] for all headers, {path: text}: types and constants that two of them define in one namespace.
    No file needs to include both for that to be wrong (the one-definition rule)."""
    seen, found = {}, []
    for path, text in sorted(headers.items()):
        namespace = NAMESPACE.search(text)
        for match in IN_HEADER.finditer(text) if namespace else ():
            name = match[1] or match[2]
            other = seen.setdefault((namespace[1], name), path)
            if other != path:
                line = text.count("\n", 0, match.start()) + 1
                found.append((path, line, f"{other} defines another {name}"))
    return found
