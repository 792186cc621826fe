// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/lay_below.h"

#include <algorithm>
#include <utility>

#include "core/tree/costs.h"

namespace espalier {
namespace {

// Whether the links that routes may take still join what is one connected component.
bool is_connected(const FatTree& tree) {
  const Fabric& fabric = tree.fabric();
  std::vector<std::uint8_t> reached(fabric.num_switches());
  std::vector<SwitchId> todo;
  std::uint32_t starts = 0;
  for (const SwitchId first : fabric.switches()) {
    if (reached[index(first)] != 0) continue;
    ++starts;
    const auto enter = [&](SwitchId s) {
      if (std::exchange(reached[index(s)], std::uint8_t{1}) == 0) todo.push_back(s);
    };
    enter(first);
    while (!todo.empty()) {
      const SwitchId s = todo.back();
      todo.pop_back();
      for (const PortGroup& up : tree.up_groups(s)) enter(up.remote);
      for (const PortGroup& down : tree.down_groups(s)) enter(down.remote);
    }
  }
  return starts == tree.num_components();
}

}  // namespace

FatTree lay_below_neighbors(const FatTree& tree, std::span<const SwitchId> switches) {
  return lay_below_neighbors(tree, switches, tree.context());
}

FatTree lay_below_neighbors(const FatTree& tree, std::span<const SwitchId> switches, TreeContext context) {
  const Fabric& fabric = tree.fabric();
  IdVector<SwitchId, Level> level(fabric.num_switches());
  IdVector<SwitchId, std::uint32_t> position(fabric.num_switches());
  auto next = static_cast<std::uint32_t>(switches.size());
  for (const SwitchId s : tree.ascending()) {
    level[s] = tree.level(s);
    position[s] = next++;
  }
  next = 0;
  for (const SwitchId s : switches) {
    position[s] = next++;
    // Beside the lowest neighbor: dividers count links that climb a level.
    for (const PortGroup& down : tree.down_groups(s)) level[s] = std::min(level[s], tree.level(down.remote));
  }
  return FatTree(fabric, std::move(level), position, std::move(context));
}

bool joins_as_many_hosts(const FatTree& after, const FatTree& before) {
  if (!is_connected(after)) return false;
  const UpDownCosts wanted(before);
  const UpDownCosts costs(after);
  for (const SwitchId s : before.fabric().switches()) {
    if (before.hosts(s).empty()) continue;
    for (const SwitchId t : before.fabric().switches())
      if (costs.cost(s, t) == kUnreachable && wanted.cost(s, t) != kUnreachable && !before.hosts(t).empty())
        return false;
  }
  return true;
}

}  // namespace espalier
