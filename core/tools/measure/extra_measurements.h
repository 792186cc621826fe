// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What measure() adds besides the metrics of patterns; see MeasureOptions.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/analysis/congestion/traffic.h"
#include "core/analysis/routes/host_routes.h"
#include "core/analysis/routes/route_changes.h"
#include "core/tree/fat_tree.h"

namespace espalier::tools {

void add_distances(nlohmann::ordered_json& result, const Routed& routed);
void add_levels(nlohmann::ordered_json& result, const FatTree& tree, const HostRoutes& routes,
                const std::vector<TrafficPattern>& patterns, std::uint64_t seed);
void add_balance(nlohmann::ordered_json& result, const FatTree& tree, const Routed& routed);

}  // namespace espalier::tools
