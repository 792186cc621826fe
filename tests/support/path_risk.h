// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// mu of flows whose paths are given channel by channel, for routings that no forwarding table can express (by source or
// by input port). flow_risk.h has the same for tables.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/fabric/ids.h"

namespace espalier {

struct FlowPath {
  std::uint32_t source = 0;  // any number that tells hosts apart
  std::uint32_t destination = 0;
  std::vector<ChannelId> channels;  // switch-to-switch
};

// The most, over all channels, of min(sources, destinations) of the flows that cross it (Gliksberg 2022, 2.3.1).
[[nodiscard]] std::uint32_t congestion_risk(std::span<const FlowPath> flows);

}  // namespace espalier
