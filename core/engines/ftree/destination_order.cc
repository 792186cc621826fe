// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/ftree/destination_order.h"

namespace espalier {

std::vector<Destination> destinations_in_order(const RoutingProblem& problem) {
  const Fabric& fabric = problem.fabric;
  std::vector<Destination> result;
  std::vector<bool> listed(index(fabric.top_lid()) + 1);
  const auto list = [&](Lid lid, SwitchId at, PortNum last_port) {
    if (listed[index(lid)]) return;
    listed[index(lid)] = true;
    result.push_back({lid, at, last_port});
  };
  for (std::size_t offset = 0; offset < std::size_t{1} << kMaxLmc; ++offset)
    for (const EndportId e : problem.order.hosts) {
      const Endport& host = fabric.at(e);
      if (offset < lids_of(host).size()) list(lid_at_offset(host.lid, offset), host.leaf, host.leaf_port);
    }
  for (const SwitchId t : fabric.switches())
    problem.targets.for_each_lid(t, [&](Lid lid, PortNum last_port) { list(lid, t, last_port); });
  return result;
}

}  // namespace espalier
