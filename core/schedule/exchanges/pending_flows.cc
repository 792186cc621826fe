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

std::vector<PendingFlow> pending_flows(const FatTree& tree, const Schedule& schedule, const ExchangeOptions& options) {
  const Fabric& fabric = tree.fabric();
  const auto n = static_cast<std::uint32_t>(schedule.servers.size());
  std::vector<EndportId> port;
  const EndportIndex endports(fabric);
  for (const Guid guid : schedule.servers) port.push_back(endports.find(guid));
  std::vector<PendingFlow> flows;
  const auto add = [&](std::uint32_t s, std::uint32_t d) {
    if (tree.component(fabric.at(port[s]).leaf) == tree.component(fabric.at(port[d]).leaf))
      flows.push_back({s, d, fabric.at(port[d]).lid, 1});
  };
  if (options.collective == Collective::kTraffic) {
    const auto place = [&](Guid guid) {
      return static_cast<std::uint32_t>(std::lower_bound(schedule.servers.begin(), schedule.servers.end(), guid) -
                                        schedule.servers.begin());
    };
    for (const Demand& d : options.traffic)
      for (std::uint32_t i = 0; i < d.count; ++i) add(place(d.from), place(d.to));
    return flows;
  }
  for (std::uint32_t shift = 1; shift < n; ++shift)
    for (std::uint32_t s = 0; s < n; ++s) add(s, (s + shift) % n);
  return flows;
}

}  // namespace espalier
