// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/congestion/gravity_model.h"

namespace espalier {

std::vector<EstimatedFlow> gravity_flows(std::span<const HostSums> hosts, double least) {
  double received = 0;
  for (const HostSums& host : hosts) received += host.received;
  std::vector<EstimatedFlow> flows;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const double others = received - hosts[i].received;
    if (hosts[i].sent <= 0 || others <= 0) continue;
    for (std::size_t j = 0; j < hosts.size(); ++j) {
      const double weight = hosts[i].sent * hosts[j].received / others;
      if (j != i && weight > 0 && weight >= least) flows.push_back({i, j, weight});
    }
  }
  return flows;
}

}  // namespace espalier
