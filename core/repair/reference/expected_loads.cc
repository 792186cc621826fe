// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/reference/expected_loads.h"

#include <algorithm>

namespace espalier {

std::vector<float> expected_loads(const FatTree& tree, const std::vector<SwitchId>& hosts) {
  const Fabric& fabric = tree.fabric();
  std::vector<float> loads(fabric.num_channels(), 0);
  IdVector<SwitchId, float> flows(fabric.num_switches(), 0);
  for (const SwitchId s : hosts) flows[s] += 1;
  std::vector<SwitchId> upward;
  for (const SwitchId s : fabric.switches()) upward.push_back(s);
  std::stable_sort(upward.begin(), upward.end(), [&](SwitchId a, SwitchId b) { return tree.level(a) < tree.level(b); });
  for (const SwitchId s : upward) {
    std::size_t num_ports = 0;
    for (const PortGroup& g : tree.up_groups(s)) num_ports += tree.ports(g).size();
    for (const PortGroup& g : tree.up_groups(s))
      for (const PortNum port : tree.ports(g)) {
        const float share = flows[s] / static_cast<float>(num_ports);
        const Peer& far = fabric.peer(fabric.channel(s, port));
        loads[index(fabric.channel(s, port))] = share;
        loads[index(fabric.channel(far.as_switch(), far.port))] = share;
        flows[g.remote] += share;
      }
  }
  return loads;
}

}  // namespace espalier
