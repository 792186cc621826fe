// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// From trees with lanes for all their routes to tables, and service levels that are the lanes.
#pragma once

#include <optional>
#include <tuple>

#include "core/engines/layers/layered_trees.h"
#include "core/engines/routing_engine.h"

namespace espalier {

// What is to be least: the fullest channel, then the sum of all, then the lanes.
using LayeredCost = std::tuple<double, double, unsigned>;
[[nodiscard]] LayeredCost cost_of(const LayeredTrees& layered);

// The best of what was found.
struct BestLayeredTrees {
  std::optional<LayeredTrees> best;

  // Unless some route has no lane.
  void offer(std::optional<LayeredTrees> found);
};

// Each route on the lane with the fewest, of those that allow it; known flows on the lane that others use least along
// their path. REQUIRES: every route has one.
[[nodiscard]] Routing routing_of(const SwitchGraph& graph, const LayeredTrees& layered);

}  // namespace espalier
