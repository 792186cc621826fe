// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/gxmodk.h"

#include <algorithm>

#include "core/engines/closed_form.h"
#include "core/engines/steady_form.h"
#include "core/tree/dividers.h"
#include "core/tree/grouped_order.h"
#include "core/tree/interleaved_order.h"

namespace espalier {
namespace {

// F: the most hosts of one small type whose ids are the same modulo the ways to the top.
std::uint32_t fullest_way(const FatTree& tree, const NodeOrder& order, const NodeTypes& types) {
  if (types.of_endport.empty()) return 0;
  std::uint32_t ways = 1;
  for (const std::uint32_t divider : dividers(tree)) ways = std::max(ways, divider);
  std::vector<std::vector<std::uint32_t>> of_type(types.types.size());
  for (const EndportId e : order.hosts) of_type[index(types.of_endport[e])].push_back(order.of_endport[e] % ways);
  std::uint32_t most = 0;
  for (std::vector<std::uint32_t>& used : of_type) {
    if (used.size() * 4 >= order.hosts.size()) continue;
    std::sort(used.begin(), used.end());
    std::uint32_t run = 0;
    for (std::size_t i = 0; i < used.size(); ++i) {
      run = i > 0 && used[i] == used[i - 1] ? run + 1 : 1;
      most = std::max(most, run);
    }
  }
  return most;
}

}  // namespace

ForwardingTables gxmodk(const FatTree& tree, const UpDownCosts& costs, const NodeOrder& order,
                        const EngineOptions& options) {
  const NodeTypes& types = options.node_types;
  const NodeOrder grouped = grouped_order(tree.fabric(), order, types);
  if (options.gxmodk_mode == GxmodkMode::kGrouped || tree.num_levels() == 0) return closed_form(tree, costs, grouped);

  const std::vector<SlottedOrder> interleaved = interleaved_orders(tree, order, types);
  if (options.gxmodk_mode == GxmodkMode::kAuto) {
    const double gain = static_cast<double>(fullest_way(tree, interleaved.back().ids, types)) -
                        static_cast<double>(fullest_way(tree, grouped, types));
    if (options.storage_share * gain > 1 - options.storage_share) return closed_form(tree, costs, grouped);
  }
  return steady_form(tree, costs, interleaved);
}

}  // namespace espalier
