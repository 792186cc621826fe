// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/schedule/exchanges/pending_flows.h"

#include <algorithm>

#include "core/fabric/endport_index.h"

namespace espalier {

std::uint32_t most_messages(const std::vector<PendingFlow>& flows, std::size_t num_servers) {
  std::vector<std::uint32_t> messages(2 * num_servers + 1, 0);
  for (const PendingFlow& flow : flows) {
    ++messages[flow.from];
    ++messages[num_servers + flow.to];
  }
  return *std::max_element(messages.begin(), messages.end());
}

std::vector<PendingFlow> pending_flows(const FatTree& tree, const Schedule& schedule,
                                       const std::vector<Demand>& traffic) {
  const Fabric& fabric = tree.fabric();
  const EndportIndex endports(fabric);
  std::vector<PendingFlow> flows;
  for (const Demand& demand : traffic) {
    const Endport& from = fabric.at(endports.find(demand.from));
    const Endport& to = fabric.at(endports.find(demand.to));
    if (tree.component(from.leaf) != tree.component(to.leaf)) continue;
    flows.insert(flows.end(), demand.count,
                 {*schedule.find_server(demand.from), *schedule.find_server(demand.to), to.lid, 1});
  }
  return flows;
}

}  // namespace espalier
