// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Patterns advg, advl and mixed on the groups of a dragonfly.
#pragma once

#include <vector>

#include "core/analysis/congestion/spread_load.h"
#include "core/analysis/congestion/traffic.h"
#include "core/fabric/fabric.h"

namespace espalier::tools {

// Groups are numbered by their lowest GUID, routers of a group likewise; both wrap around. `hosts` by rank.
// Refused when the fabric is no dragonfly. REQUIRES: pattern.is_adversarial().
[[nodiscard]] std::vector<SpreadFlow> adversarial_flows(const Fabric& fabric, const std::vector<EndportId>& hosts,
                                                        const TrafficPattern& pattern);

}  // namespace espalier::tools
