// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/modulo/closed_form_on_fast_links.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "core/engines/modulo/closed_form.h"
#include "core/engines/modulo/closed_form_by_planes.h"
#include "core/fabric/capacities.h"
#include "core/tree/demote.h"

namespace espalier {
namespace {

constexpr float kSlow = 0.4F;  // EDR beside HDR is 0.49 and not slow, 1x of 4x is 0.25

using Levels = std::pair<Level, Level>;  // of the lower and the upper end

// visit(channel upward, levels of its link)
template <class Visit>
void visit_links(const FatTree& tree, Visit visit) {
  for (const SwitchId s : tree.fabric().switches())
    for (const PortGroup& up : tree.up_groups(s))
      for (const PortNum port : tree.ports(up))
        visit(tree.fabric().channel(s, port), Levels(tree.level(s), tree.level(up.remote)));
}

// Both channels of each link that carries less than kSlow of the median of its levels.
std::vector<ChannelId> slow_channels(const FatTree& tree) {
  const Fabric& fabric = tree.fabric();
  const Capacities capacities(fabric);
  if (capacities.all_are_one()) return {};
  std::map<Levels, std::vector<float>> usual;
  visit_links(tree, [&](ChannelId c, Levels levels) { usual[levels].push_back(capacities.of(c)); });
  for (auto& [levels, all] : usual) {
    const auto median = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
    std::nth_element(all.begin(), median, all.end());
    all = {*median};
  }
  std::vector<ChannelId> slow;
  visit_links(tree, [&](ChannelId c, Levels levels) {
    if (capacities.of(c) >= kSlow * usual[levels].front()) return;
    const Peer& far = fabric.peer(c);
    slow.push_back(c);
    slow.push_back(fabric.channel(far.as_switch(), far.port));
  });
  return slow;
}

}  // namespace

std::optional<ForwardingTables> closed_form_on_fast_links(const RoutingProblem& problem, ForwardingTables tables) {
  const std::vector<ChannelId> slow = slow_channels(problem.tree);
  if (slow.empty()) return std::nullopt;
  const FatTree tree = without_channels(problem.tree, slow);
  const RoutingProblem fast(tree, problem.order);
  const ForwardingTables of_fast = closed_form_by_planes(fast, closed_form(fast));
  for (const SwitchId s : problem.fabric.switches())
    for (const SwitchId t : problem.fabric.switches()) {
      if (fast.costs.cost(s, t) != problem.costs.cost(s, t) ||
          fast.costs.down_cost(s, t) != problem.costs.down_cost(s, t))
        continue;
      for (const LidTarget& target : problem.targets.at(t))
        std::copy_n(of_fast.row(s).begin() + static_cast<std::ptrdiff_t>(index(target.base)), lids_of(target).size(),
                    tables.row(s).begin() + static_cast<std::ptrdiff_t>(index(target.base)));
    }
  return tables;
}

}  // namespace espalier
