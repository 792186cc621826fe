// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/fabric/fabric.h"
#include "plugin/multicast/multicast_tree.h"

namespace espalier::test {

// Why the edges are not links of the fabric that make a tree which spans the members and has a member at each of its
// ends; empty: they are. REQUIRES: there is a member.
inline std::string tree_fault(const Fabric& fabric, std::span<const TreeEdge> edges,
                              std::span<const SwitchId> members) {
  std::map<SwitchId, std::set<SwitchId>> neighbors;
  for (const TreeEdge& e : edges) {
    if (fabric.peer(e.upper, e.upper_port) !=
        Peer{Peer::Kind::kSwitch, e.lower_port, static_cast<std::uint32_t>(e.lower)})
      return "an edge that is no link, at " + fabric.label(e.upper);
    neighbors[e.upper].insert(e.lower);
    neighbors[e.lower].insert(e.upper);
  }
  const std::set<SwitchId> wanted(members.begin(), members.end());
  std::set<SwitchId> seen{members.front()};
  for (std::vector<SwitchId> todo{members.front()}; !todo.empty();) {
    const SwitchId s = todo.back();
    todo.pop_back();
    for (const SwitchId next : neighbors[s])
      if (seen.insert(next).second) todo.push_back(next);
  }
  if (edges.size() + 1 != seen.size()) return "not connected, or a cycle";
  for (const SwitchId s : wanted)
    if (!seen.contains(s)) return "without " + fabric.label(s);
  for (const auto& [s, around] : neighbors)
    if (around.size() < 2 && !wanted.contains(s)) return "a dead end at " + fabric.label(s);
  return {};
}

}  // namespace espalier::test
