// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/demote.h"

#include <algorithm>
#include <utility>

#include "core/tree/components.h"
#include "core/tree/costs.h"

namespace espalier {
namespace {

// Whether the links that routes may take still join what is one connected component.
bool is_connected(const FatTree& tree) {
  std::uint32_t count = 0;
  for (const std::uint32_t component : components(tree, [](SwitchId) { return true; }))
    count = std::max(count, component + 1);
  return count == tree.num_components();
}

}  // namespace

FatTree demote(const FatTree& tree, std::span<const SwitchId> switches) {
  return demote(tree, switches, tree.context());
}

FatTree demote(const FatTree& tree, std::span<const SwitchId> switches, TreeContext context) {
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

void add_both_channels(const FatTree& tree, SwitchId s, const PortGroup& group, std::vector<ChannelId>& channels) {
  const Fabric& fabric = tree.fabric();
  for (const PortNum port : tree.ports(group)) {
    channels.push_back(fabric.channel(s, port));
    channels.push_back(fabric.channel(group.remote, fabric.peer(s, port).port));
  }
}

FatTree without_channels(const FatTree& tree, std::span<const ChannelId> channels) {
  TreeContext context = tree.context();
  context.set_aside.insert(context.set_aside.end(), channels.begin(), channels.end());
  std::sort(context.set_aside.begin(), context.set_aside.end());
  return demote(tree, {}, std::move(context));
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
