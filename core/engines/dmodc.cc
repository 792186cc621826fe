// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/dmodc.h"

#include <fmt/format.h>

#include "core/engines/closed_form.h"
#include "core/engines/complete_tables.h"
#include "core/tree/rank.h"

namespace espalier {
namespace {

Result<ForwardingTables> route_on(const FatTree& tree, const UpDownCosts& costs) {
  const NodeOrder order = topological_order(tree, costs);
  ForwardingTables tables = closed_form(tree, costs, order);
  // Every pair with an up-down path is routed, each by a shortest one that goes down as soon as it can.
  if (Status ok = complete_tables(tree, costs, LidTargets(tree, order), tables); !ok) return tl::unexpected(ok.error());
  // Every pair of each connected part is routed, and no channel depends on itself.
  return tables;
}

// The switch from which all hosts and switches are nearest: a good root where the levels are of no use.
SwitchId centre(const UpDownCosts& costs, const FatTree& tree) {
  SwitchId best = SwitchId{0};
  std::uint64_t best_sum = ~std::uint64_t{0};
  for (const SwitchId s : tree.fabric().switches()) {
    std::uint64_t sum = 0;
    for (const SwitchId t : tree.fabric().switches()) sum += costs.cost(t, s) * (1 + tree.hosts(t).size());
    if (sum < best_sum) std::tie(best, best_sum) = std::pair(s, sum);
  }
  return best;
}

}  // namespace

Result<Routing> Dmodc::route(const FatTree& tree) const {
  const UpDownCosts costs(tree);
  Routing routing;
  if (const std::uint64_t pairs = count_unreached_hosts(tree, costs); pairs > 0)
    routing.warnings.push_back(fmt::format("{} ordered pairs of hosts have no up-down path and take a detour", pairs));

  Result<ForwardingTables> tables = route_on(tree, costs);
  if (!tables) {
    // Hardly a tree. From one root every pair has an up-down path, so this always succeeds.
    const SwitchId root = centre(costs, tree);
    routing.warnings.push_back(fmt::format("this is hardly a fat tree ({}): routed up*/down* from the root {}",
                                           tables.error().text(), tree.fabric().label(root)));
    const Result<FatTree> oriented = orient_from_root(tree.fabric(), root);
    if (!oriented) return tl::unexpected(oriented.error());
    tables = route_on(*oriented, UpDownCosts(*oriented));
    if (!tables) return tl::unexpected(tables.error());
  }
  routing.tables = std::move(*tables);
  return routing;
}

}  // namespace espalier
