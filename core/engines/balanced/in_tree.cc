// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/balanced/in_tree.h"

namespace espalier {

InTree::InTree(const RoutingProblem& problem, const TreeChannels& channels)
    : costs_(problem.costs), cost_(problem.fabric.num_switches()) {
  const FatTree& tree = problem.tree;
  const Fabric& fabric = problem.fabric;
  for (const SwitchId s : fabric.switches()) {
    first_.push_back(static_cast<std::uint32_t>(from_below_.size()));
    for (const PortGroup& g : tree.down_groups(s))
      for (const PortNum port : tree.ports(g))
        from_below_.push_back(
            {g.remote, channels.number(g.remote, fabric.peer(s, port).port), static_cast<std::uint8_t>(g.num_ports)});
  }
  first_.push_back(static_cast<std::uint32_t>(from_below_.size()));
  next_.resize(from_below_.size());
}

void InTree::set_destination(SwitchId t) {
  for (std::size_t s = 0; s < cost_.size(); ++s) cost_[s] = costs_.cost(id_at<SwitchId>(s), t);
}

}  // namespace espalier
