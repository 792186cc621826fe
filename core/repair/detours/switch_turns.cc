// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/detours/switch_turns.h"

#include <algorithm>

namespace espalier {

std::vector<Turn> turns_at(const WorkingState& state, const ChannelOrder& order, SwitchId s) {
  const Fabric& fabric = state.prepared.fabric();
  const FatTree& tree = state.prepared.tree();
  std::vector<Turn> turns;
  for (const PortGroup& from : tree.up_groups(s))
    for (const PortNum p : tree.ports(from)) {
      const Peer& above = fabric.peer(s, p);
      const ChannelId in = fabric.channel(above.as_switch(), above.port);
      if (!order.has_any(in)) continue;
      for (const PortGroup& to : tree.up_groups(s))
        for (const PortNum q : tree.ports(to))
          if (order.has(in, q)) turns.push_back({in, fabric.channel(s, q)});
    }
  return turns;
}

std::pair<SwitchId, SwitchId> ends(const WorkingState& state, const Turn& turn) {
  return {state.prepared.fabric().source(turn.in), state.prepared.far(index(turn.out))};
}

// Whether s has all links to the switches above it that are there. One of these that is gone is missing everywhere.
bool has_all_uplinks(const WorkingState& state, SwitchId s) {
  const FatTree& tree = state.prepared.tree();
  for (const PortGroup& g : tree.up_groups(s))
    if (state.is_alive(g.remote))
      for (const PortNum port : tree.ports(g))
        if (!is_left(state, tree.fabric().channel(s, port))) return false;
  return true;
}

// Whether a link of this group of s is left.
bool has_link(const WorkingState& state, SwitchId s, const PortGroup& group) {
  const FatTree& tree = state.prepared.tree();
  return std::ranges::any_of(tree.ports(group),
                             [&](PortNum port) { return is_left(state, tree.fabric().channel(s, port)); });
}

}  // namespace espalier
