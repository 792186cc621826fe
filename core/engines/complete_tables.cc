// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/complete_tables.h"

#include "core/engines/subtree.h"
#include "core/engines/turns.h"

namespace espalier {

Status complete_tables(const FatTree& tree, const UpDownCosts& costs, const LidTargets& targets,
                       ForwardingTables& tables) {
  std::vector<SwitchId> roots;
  for (std::uint32_t part = 0; part < tree.num_parts(); ++part) {
    roots.push_back(subtree_root(tree, costs, part));
    if (roots.back() == kNoSwitch) return route_by_turns(tree, costs, targets, tables);
  }
  for (const SwitchId root : roots) route_through_subtree(tree, costs, targets, root, tables);
  return {};
}

std::uint64_t count_unreached_hosts(const FatTree& tree, const UpDownCosts& costs) {
  std::uint64_t pairs = 0;
  for (const SwitchId s : tree.fabric().switches())
    for (const SwitchId t : tree.fabric().switches())
      if (costs.cost(s, t) == kUnreachable && tree.part(s) == tree.part(t))
        pairs += tree.hosts(s).size() * tree.hosts(t).size();
  return pairs;
}

}  // namespace espalier
