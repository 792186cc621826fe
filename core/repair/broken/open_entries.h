// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Which entries of the reference no longer stand. An entry stays when its link is left and leads one hop closer to the
// destination by the costs of what is left: then the path behind it is up-down and ends, whatever else is chosen. All
// others of pairs that still have an up-down path are open.
//
// A column is all entries of one LID. A fault touches the columns that have an entry on a lost link, and no others:
// where no entry of a column is on a lost link, all its paths are whole.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/repair/broken/working_state.h"

namespace espalier {

// visit(ChannelId): channels of s that are left and lead one hop closer to t, in the order of groups and ports.
// REQUIRES: an up-down path is left from s to t.
template <class Visit>
void for_each_closer_channel(const WorkingState& state, SwitchId s, SwitchId t, Visit&& visit) {
  const FatTree& tree = state.prepared.tree();
  const Hops own = state.costs.cost(s, t);
  const bool down = state.costs.down_cost(s, t) != kUnreachable;
  for (const PortGroup& g : down ? tree.down_groups(s) : tree.up_groups(s)) {
    if ((down ? state.costs.down_cost(g.remote, t) : state.costs.cost(g.remote, t)) >= own) continue;
    for (const PortNum port : tree.ports(g))
      if (const ChannelId c = state.channel(s, port); c != kNoChannel) visit(c);
  }
}

struct OpenEntries {
  std::vector<std::uint32_t> columns;  // LIDs that a fault touches, ascending
  // Per column: the switches whose entry is open, from the highest to the lowest.
  std::vector<std::uint32_t> first;  // into switches; one more than columns
  std::vector<SwitchId> switches;
  std::vector<std::uint8_t> lost_detour;  // per column: an entry on a lost link of a pair without an up-down path
  SwitchLists lost_detours;               // per LID: the living switches with such an entry
  // Per column: leaves that left a whole entry, by their places (filled by PathChooser).
  std::vector<std::vector<std::uint32_t>> shed;

  [[nodiscard]] std::span<const SwitchId> at(std::size_t column) const {
    return {switches.data() + first[column], first[column + 1] - first[column]};
  }
};

[[nodiscard]] OpenEntries find_open_entries(const WorkingState& state);

}  // namespace espalier
