// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/order/host_runs.h"

namespace espalier {

std::vector<HostRun> host_runs(const Fabric& fabric, const NodeOrder& order) {
  std::vector<HostRun> runs;
  for (std::uint32_t i = 0; i < order.hosts.size(); ++i) {
    const SwitchId at = fabric.at(order.hosts[i]).leaf;
    if (runs.empty() || runs.back().at != at) runs.push_back({at, i, i});
    ++runs.back().last;
  }
  return runs;
}

}  // namespace espalier
