// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/modulo/parents.h"

#include <algorithm>
#include <utility>

namespace espalier {

std::vector<SwitchId> parents_above(const FatTree& tree, SwitchId s) {
  struct Seen {
    bool as_parent = false;
    bool as_sibling = false;
  };
  IdVector<SwitchId, Seen> seen(tree.fabric().num_switches());
  std::vector<SwitchId> parents;
  const auto add_above = [&](SwitchId x) {
    for (const PortGroup& up : tree.up_groups(x))
      if (!std::exchange(seen[up.remote].as_parent, true)) parents.push_back(up.remote);
  };
  add_above(s);
  const std::size_t own = parents.size();
  for (const PortGroup& up : tree.up_groups(s))
    for (const PortGroup& down : tree.down_groups(up.remote))
      if (tree.level(down.remote) == tree.level(s) && !std::exchange(seen[down.remote].as_sibling, true))
        add_above(down.remote);
  if (own * 4 < parents.size()) parents.resize(own);
  std::sort(parents.begin(), parents.end());
  return parents;
}

std::vector<SwitchId> leading_further(const FatTree& tree, const UpDownCosts& costs, SwitchId s,
                                      std::vector<SwitchId> parents) {
  const auto own = costs.down_row(s);
  std::erase_if(parents, [&](SwitchId parent) {
    const auto below = costs.down_row(parent);
    for (const SwitchId t : tree.fabric().switches())
      if (!tree.hosts(t).empty() && below[index(t)] != kUnreachable && own[index(t)] == kUnreachable) return false;
    return true;
  });
  return parents;
}

}  // namespace espalier
