// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A pattern written out: the flows of each of its phases.
#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/congestion/flow_risk.h"
#include "core/analysis/congestion/traffic.h"
#include "core/fabric/fabric.h"
#include "core/tree/order/node_types.h"

namespace espalier::tools {

// Ranks below num_nodes; the first are positions in `hosts`, to which types and files of hosts refer. Flows to oneself
// are left out. Node-type phases are those of the way there; reversed() has the way back. Random kinds make `parameter`
// draws even where a standard error is given, for nothing is measured here. Or Refused, when a file is.
[[nodiscard]] std::vector<std::vector<Flow>> traffic_phases(const Fabric& fabric, const std::vector<EndportId>& hosts,
                                                            const NodeTypes& types, std::size_t num_nodes,
                                                            const TrafficPattern& pattern, std::uint64_t seed);

}  // namespace espalier::tools
