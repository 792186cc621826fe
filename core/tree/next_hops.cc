// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/next_hops.h"

namespace espalier {

std::vector<PortGroup> closer_groups(const FatTree& tree, const UpDownCosts& costs, SwitchId s, SwitchId t) {
  std::vector<PortGroup> closer;
  for (const PortGroup& g : groups_toward(tree, costs, s, t))
    if (costs.leads_closer(s, g.remote, t)) closer.push_back(g);
  return closer;
}

std::vector<PortNum> alternative_ports(const FatTree& tree, const UpDownCosts& costs, SwitchId s, SwitchId t) {
  std::vector<PortNum> ports;
  for (const PortGroup& g : closer_groups(tree, costs, s, t))
    ports.insert(ports.end(), tree.ports(g).begin(), tree.ports(g).end());
  return ports;
}

}  // namespace espalier
