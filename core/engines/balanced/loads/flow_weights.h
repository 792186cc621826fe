// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What one flow counts on each channel. Where links carry different amounts (fabric/capacities.h), loads are counted in
// units of 1/8, or another part, of what a flow is on a link as fast as a host's: two flows on a link of half that speed are
// four on others. A unit is a flow where all links are as fast as hosts.
#pragma once

#include <cstdint>

#include "core/engines/balanced/parameters.h"
#include "core/tree/tree_channels.h"

namespace espalier {

struct FlowWeights {
  FlowWeights(const FatTree& tree, const TreeChannels& channels,
              std::uint32_t units_per_flow = kBalanced.units_per_flow);

  std::uint32_t unit = 1;                     // of a flow on a link as fast as a host's
  IdVector<TreeChannelId, std::uint16_t> of;  // units that a flow adds
};

}  // namespace espalier
