// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/modulo/weighted_modulo.h"

#include <algorithm>
#include <vector>

#include "core/engines/modulo/parents.h"
#include "core/engines/modulo/stable_form.h"
#include "core/fabric/capacities.h"

namespace espalier {
namespace {

// How much of what switches of its level usually have above them each switch has left, 0 to 1, as far up as the tops.
// Single links that are lost do not count: routes deflect around these one by one.
IdVector<SwitchId, float> share_left(const FatTree& tree) {
  const Fabric& fabric = tree.fabric();
  IdVector<SwitchId, std::vector<SwitchId>> parents(fabric.num_switches());
  std::vector<std::size_t> usual(tree.num_levels(), 1);
  for (const SwitchId s : fabric.switches()) {
    parents[s] = parents_above(tree, s);
    usual[index(tree.level(s))] = std::max(usual[index(tree.level(s))], parents[s].size());
  }
  IdVector<SwitchId, float> left(fabric.num_switches(), 1.0F);
  const auto ascending = tree.ascending();
  for (auto it = ascending.rbegin(); it != ascending.rend(); ++it) {
    if (parents[*it].empty()) continue;
    float sum = 0;
    for (const SwitchId parent : parents[*it]) sum += left[parent];
    left[*it] = std::min(1.0F, sum / static_cast<float>(usual[index(tree.level(*it))]));
  }
  return left;
}

// The share of a group: what its links carry, and what is left behind them, in the mean of those of its switch.
GroupShares group_shares(const FatTree& tree) {
  const Fabric& fabric = tree.fabric();
  const Capacities capacities(fabric);
  const auto left = share_left(tree);
  GroupShares shares(fabric.num_switches());
  for (const SwitchId s : fabric.switches()) {
    float sum = 0;
    for (const PortGroup& up : tree.up_groups(s)) {
      float carries = 0;
      for (const PortNum port : tree.ports(up)) carries += capacities.of(fabric.channel(s, port));
      shares[s].push_back(carries * left[up.remote]);
      sum += shares[s].back();
    }
    for (float& share : shares[s])
      share = sum == 0 ? 1 : std::min(1.0F, share * static_cast<float>(shares[s].size()) / sum);
  }
  return shares;
}

}  // namespace

ForwardingTables weighted_modulo(const RoutingProblem& problem) {
  const FatTree& tree = problem.tree;
  std::vector<SlottedOrder> orders;
  for (std::size_t level = 0; level < tree.num_levels(); ++level) {
    std::uint32_t slots = 1;
    for (const SwitchId s : tree.fabric().switches())
      if (index(tree.level(s)) == level) slots = std::max(slots, problem.divider[s]);
    orders.push_back({problem.order, slots, slots});
  }
  const GroupShares shares = group_shares(tree);
  return stable_form(problem, orders, IdVector<EndportId, std::uint8_t>(tree.fabric().num_endports()), &shares);
}

}  // namespace espalier
