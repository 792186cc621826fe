// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/fabric/endport_role.h"

namespace espalier {

bool is_aggregation_node(const Endport& e) {
  return e.kind == EndportKind::kChannelAdapter && e.description.find("Aggregation Node") != std::string::npos;
}

bool is_host(const Endport& e) { return e.leaf != kNoSwitch && !is_aggregation_node(e); }

IdVector<SwitchId, std::uint32_t> count_hosts(const Fabric& fabric) {
  IdVector<SwitchId, std::uint32_t> hosts(fabric.num_switches());
  for (const EndportId e : fabric.endports())
    if (is_host(fabric.at(e))) ++hosts[fabric.at(e).leaf];
  return hosts;
}

}  // namespace espalier
