// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "tests/analysis/toy_metric.h"

#include <algorithm>

#include "core/analysis/congestion/channel_load.h"

namespace espalier::test {

std::uint64_t idle_channels(const Fabric& fabric, const HostRoutes& routes) {
  TrafficPattern everybody;
  everybody.kind = TrafficPattern::Kind::kAllToAll;
  const ChannelLoads loads = channel_loads(routes, everybody, 1);
  const auto used = std::count_if(loads.flows.begin(), loads.flows.end(), [](auto flows) { return flows > 0; });
  return 2 * fabric.num_switch_links() - static_cast<std::uint64_t>(used);
}

}  // namespace espalier::test
