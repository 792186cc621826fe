// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/modulo/gxmodk.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/engines/modulo/closed_form.h"
#include "core/engines/modulo/stable_form.h"
#include "core/tree/order/grouped_order.h"
#include "core/tree/order/interleaved_order.h"

namespace espalier {
namespace {

// Per end port: whether it is a host of a small type, one with less than a quarter of the hosts.
IdVector<EndportId, std::uint8_t> of_small_types(const NodeOrder& order, const NodeTypes& types) {
  IdVector<EndportId, std::uint8_t> small(order.of_endport.size());
  if (types.of_endport.empty()) return small;
  const IdVector<NodeTypeId, std::uint8_t> is_small = small_types(types, order.hosts);
  for (const EndportId e : order.hosts) small[e] = is_small[types.of_endport[e]];
  return small;
}

// F: the most hosts of one small type whose ids are the same modulo the number of paths to a top.
std::uint32_t fullest_class(const IdVector<SwitchId, std::uint32_t>& dividers, const NodeOrder& order,
                            const NodeTypes& types, const IdVector<EndportId, std::uint8_t>& small) {
  std::uint32_t paths = 1;
  for (const std::uint32_t divider : dividers) paths = std::max(paths, divider);
  std::map<std::pair<NodeTypeId, std::uint32_t>, std::uint32_t> hosts;  // by type and class
  std::uint32_t most = 0;
  for (const EndportId e : order.hosts)
    if (small[e] != 0) most = std::max(most, ++hosts[{types.of_endport[e], order.of_endport[e] % paths}]);
  return most;
}

}  // namespace

ForwardingTables gxmodk(const RoutingProblem& problem, const EngineOptions& options) {
  const NodeTypes& types = options.node_types;
  const NodeOrder grouped = grouped_order(problem.fabric, problem.order, types);
  const auto route_grouped = [&] { return closed_form_by(problem, LidTargets(problem.tree, grouped)); };
  if (options.gxmodk_mode == GxmodkMode::kGrouped || problem.tree.num_levels() == 0) return route_grouped();

  const IdVector<EndportId, std::uint8_t> small = of_small_types(problem.order, types);
  const std::vector<SlottedOrder> interleaved = interleaved_orders(problem.tree, problem.order, types);
  if (options.gxmodk_mode == GxmodkMode::kAuto) {
    const double gain = static_cast<double>(fullest_class(problem.divider, interleaved.back().ids, types, small)) -
                        static_cast<double>(fullest_class(problem.divider, grouped, types, small));
    if (options.storage_share * gain > 1 - options.storage_share) return route_grouped();
  }
  return stable_form(problem, interleaved, small);
}

}  // namespace espalier
