#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Judges the multicast tables that the switches hold.

Usage: check_multicast.py DISCOVERED MFTS MEMBERS
  DISCOVERED  output of ibnetdiscover
  MFTS        output of `dump_fts -M`
  MEMBERS     opensm-sa.dump (opensm.conf: sa_db_dump TRUE)

Lets a packet of each member of each group go where the tables send it. Wrong is: a packet that comes to a switch twice
by the same port (a loop), or to a member twice; a member that it does not reach, though the switches of both are
connected. Prints one line for each fault; exit status 1 if there is any.
"""

import re
import sys
from collections import defaultdict, deque

NODE = re.compile(r'^(Switch|Ca|Rt|Hca)\s+\d+\s+"([^"]+)"')
GUID = re.compile(r"^(?:switch|ca|rt)guid=0x([0-9a-f]+)", re.I)
LINK = re.compile(r'^\[(\d+)\](?:\(([0-9a-f]+)\))?\s+"([^"]+)"\[(\d+)\](?:\(([0-9a-f]+)\))?')


def read_fabric(text):
    """Returns (peer: (switch guid, port) -> ("switch", guid, port) | ("port", port guid), home: port guid -> (switch, port))."""
    kind_of, guid_of, links, node, guid = {}, {}, [], None, None
    for line in text.splitlines():
        if match := GUID.match(line):
            guid = int(match[1], 16)
        elif match := NODE.match(line):
            node = match[2]
            kind_of[node], guid_of[node] = match[1], guid
        elif (match := LINK.match(line)) and node:
            links.append((node, int(match[1]), match[3], int(match[4]), match[5]))
    peer, home = {}, {}
    for node, port, other, other_port, other_guid in links:
        if kind_of[node] != "Switch":
            continue
        here = (guid_of[node], port)
        if kind_of.get(other) == "Switch":
            peer[here] = ("switch", guid_of[other], other_port)
        elif other_guid:
            peer[here] = ("port", int(other_guid, 16))
            home[int(other_guid, 16)] = here
    return peer, home


def read_tables(text):
    """Returns mlid -> switch guid -> set of ports. Each port has two columns, port 0 where the digits begin."""
    tables, switch, first = defaultdict(dict), None, 0
    for line in text.splitlines():
        if match := re.search(r"of switch .* guid 0x([0-9a-f]+)", line):
            switch = int(match[1], 16)
        elif match := re.search(r"Ports: ", line):
            first = match.end()
        elif match := re.match(r"\s*(0x[0-9a-f]{4}) ", line, re.I):
            tables[int(match[1], 16)][switch] = {(m.start() - first) // 2 for m in re.finditer("x", line) if m.start() >= first}
    return tables


def read_members(text):
    """Returns mlid -> set of port GUIDs."""
    members, mlid = defaultdict(set), None
    for line in text.splitlines():
        if match := re.match(r"MC Group (0x[0-9a-f]+)", line, re.I):
            mlid = int(match[1], 16)
        elif match := re.match(r"mcm_port: port_gid=0x[0-9a-f]+:0x([0-9a-f]+)", line, re.I):
            members[mlid].add(int(match[1], 16))
    return members


def connected(peer):
    """Returns a function: switch -> name of its connected part."""
    around = defaultdict(set)
    for (switch, _), other in peer.items():
        if other[0] == "switch":
            around[switch].add(other[1])
            around[other[1]].add(switch)
    part = {}
    for start in {switch for switch, _ in peer}:
        todo = [start]
        while todo:
            at = todo.pop()
            if at not in part:
                part[at] = start
                todo.extend(around[at])
    return part.get


def faults_of(mlid, tables, members, peer, home, part):
    """Yields sentences."""
    here = {guid for guid in members if guid in home}
    for source in sorted(here):
        reached, seen, todo = set(), set(), deque([home[source]])
        while todo:
            switch, ingress = todo.popleft()
            if (switch, ingress) in seen:
                yield f"MLID 0x{mlid:x}: a packet of 0x{source:016x} circles at switch 0x{switch:016x}"
                break
            seen.add((switch, ingress))
            for port in tables.get(switch, set()) - {ingress, 0}:
                other = peer.get((switch, port))
                if other is None:
                    continue
                if other[0] == "switch":
                    todo.append((other[1], other[2]))
                elif other[1] in reached:
                    yield f"MLID 0x{mlid:x}: 0x{other[1]:016x} gets packets of 0x{source:016x} twice"
                else:
                    reached.add(other[1])
        for lost in sorted(here - reached - {source}):
            if part(home[lost][0]) == part(home[source][0]):
                yield f"MLID 0x{mlid:x}: 0x{lost:016x} gets no packet of 0x{source:016x}"


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    texts = [open(name, encoding="utf-8", errors="replace").read() for name in sys.argv[1:]]
    peer, home = read_fabric(texts[0])
    tables, groups = read_tables(texts[1]), read_members(texts[2])
    part = connected(peer)
    faults = [f for mlid in sorted(groups) for f in faults_of(mlid, tables.get(mlid, {}), groups[mlid], peer, home, part)]
    print("\n".join(faults) or f"{len(groups)} groups, {sum(len(g) for g in groups.values())} members, all reached once")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
