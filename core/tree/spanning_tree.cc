// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/spanning_tree.h"

#include <utility>

namespace espalier {

SpanningTree breadth_first(const FatTree& tree, SwitchId root, const std::function<bool(SwitchId)>& may_enter) {
  const Fabric& fabric = tree.fabric();
  SpanningTree spanning{root, IdVector<SwitchId, SpanningTree::Step>(fabric.num_switches())};
  std::vector<SwitchId> queue{root};
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const SwitchId from = queue[i];
    for (const auto groups : {tree.down_groups(from), tree.up_groups(from)})
      for (const PortGroup& group : groups) {
        if (spanning.contains(group.remote) || !may_enter(group.remote)) continue;
        const PortNum port = tree.ports(group).front();
        spanning.steps[group.remote] = {from, fabric.peer(from, port).port, port};
        queue.push_back(group.remote);
      }
  }
  return spanning;
}

std::vector<SpanningTree> breadth_first_from_lowest(const FatTree& tree) {
  std::vector<SpanningTree> trees;
  std::vector<std::uint8_t> seen(tree.num_components());
  for (const SwitchId s : tree.fabric().switches())
    if (std::exchange(seen[tree.component(s)], 1) == 0)
      trees.push_back(breadth_first(tree, s, [](SwitchId) { return true; }));
  return trees;
}

}  // namespace espalier
