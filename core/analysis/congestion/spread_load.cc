// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/congestion/spread_load.h"

#include <algorithm>

#include "core/analysis/congestion/flow_paths.h"
#include "core/base/parallel.h"

namespace espalier {

double SpreadLoad::worst() const {
  return of_channel.empty() ? 0 : *std::max_element(of_channel.begin(), of_channel.end());
}

SpreadLoad spread_load(const HostRoutes& routes, const std::vector<SpreadFlow>& flows) {
  // Shares are whole numbers, so that the sum does not depend on threads: loads[i] is that of flows[i].
  std::vector<std::vector<std::uint64_t>> loads(flows.size());
  std::vector<std::uint64_t> lost(flows.size(), 0);
  parallel_for(flows.size(), [&](std::size_t i) {
    loads[i].assign(routes.num_channels(), 0);
    FlowPaths paths(routes);
    for (const std::uint32_t source : flows[i].sources)
      for (const std::uint32_t to : flows[i].destinations) {
        if (to == source) continue;
        const std::uint32_t arrived =
            paths.visit(source, to, [&](ChannelId c, std::uint32_t shares) { loads[i][index(c)] += shares; });
        lost[i] += routes.shares_per_flow() - arrived;
      }
  });
  SpreadLoad total{std::vector<double>(routes.num_channels(), 0)};
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const auto others = static_cast<double>(flows[i].destinations.size());
    const double part = flows[i].destinations.empty() ? 0 : flows[i].rate / (others * routes.shares_per_flow());
    for (std::size_t c = 0; c < loads[i].size(); ++c) total.of_channel[c] += static_cast<double>(loads[i][c]) * part;
    total.unrouted += static_cast<double>(lost[i]) * part;
  }
  return total;
}

}  // namespace espalier
