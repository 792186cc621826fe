// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Who sends into the fabric at a switch, as far as lanes can tell them apart: by the class of the port at which their
// packets come in, and by their own.
#pragma once

#include <cstdint>
#include <vector>

#include "core/fabric/fabric.h"
#include "core/fabric/lanes.h"

namespace espalier {

struct LaneSource {
  PortNum in;                  // one of its class in the SL2VL tables of the switch
  std::uint32_t source_class;  // ServiceLevels::source_class()
};

// Per switch, none that lanes cannot tell from another: of all switches and end ports, or with `endports` of these alone.
[[nodiscard]] IdVector<SwitchId, std::vector<LaneSource>> lane_sources(const Fabric& fabric,
                                                                       const ServiceLevels& levels,
                                                                       const LaneMaps& maps,
                                                                       const std::vector<EndportId>* endports);

}  // namespace espalier
