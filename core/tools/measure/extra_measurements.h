// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What measure() adds besides the metrics of patterns; see MeasureOptions.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/analysis/congestion/route_changes.h"
#include "core/analysis/congestion/traffic.h"
#include "core/analysis/routes/host_routes.h"
#include "core/fabric/lanes.h"
#include "core/tree/fat_tree.h"
#include "core/tree/order/node_types.h"

namespace espalier::tools {

// Shares as flows; whole numbers stay whole.
[[nodiscard]] nlohmann::ordered_json in_flows(std::uint64_t shares, std::uint32_t shares_per_flow);

void add_distances(nlohmann::ordered_json& result, const Routed& routed);
void add_levels(nlohmann::ordered_json& result, const FatTree& tree, const HostRoutes& routes,
                const std::vector<TrafficPattern>& patterns, std::uint64_t seed);
void add_balance(nlohmann::ordered_json& result, const FatTree& tree, const Routed& routed);
void add_lengths(nlohmann::ordered_json& result, const Routed& routed);
// vls, sls and lanes: of each VL under all-to-all of the hosts, at the offsets that `use` says (those of a table: 0).
void add_lane_loads(nlohmann::ordered_json& result, const Routed& routed, const Lanes& lanes, const LidUse& use);
void add_ksp(nlohmann::ordered_json& result, const Routed& routed);
void add_disjoint(nlohmann::ordered_json& result, const Routed& routed);
// By metric, of the patterns that have a bound, in flows; with _why behind it the cut that says so. shares_per_flow as in
// HostRoutes.
[[nodiscard]] nlohmann::ordered_json bounds_json(const FatTree& tree, const Routed& routed,
                                                 std::uint32_t shares_per_flow,
                                                 const std::vector<TrafficPattern>& patterns, const NodeTypes& types);

}  // namespace espalier::tools
