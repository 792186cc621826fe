// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/balanced/loads/flow_weights.h"

#include <algorithm>
#include <cmath>

#include "core/fabric/capacities.h"

namespace espalier {

FlowWeights::FlowWeights(const FatTree& tree, const TreeChannels& channels, std::uint32_t units_per_flow)
    : of(channels.size(), 1) {
  const Fabric& fabric = tree.fabric();
  const Capacities capacities(fabric);
  if (capacities.all_are_one()) return;
  unit = units_per_flow;
  for (const SwitchId s : fabric.switches())
    for (const auto groups : {tree.up_groups(s), tree.down_groups(s)})
      for (const PortGroup& g : groups)
        for (const PortNum port : tree.ports(g)) {
          const float units = static_cast<float>(unit) * capacities.weight(fabric.channel(s, port));
          of[channels.at(s, channels.number(s, port))] =
              static_cast<std::uint16_t>(std::clamp(std::round(units), 1.0F, kBalanced.max_weight));
        }
}

}  // namespace espalier
