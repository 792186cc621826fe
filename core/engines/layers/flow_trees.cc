// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/layers/flow_trees.h"

#include <algorithm>
#include <utility>

namespace espalier {
namespace {

constexpr int kFlowPasses = 24;
constexpr double kMostSteps = 5e8;    // over channels, in all passes
constexpr int kPassesOverAll = 2;     // that look at all known flows, not only at those on full channels
constexpr double kHotForFlows = 0.7;  // of the fullest channel's load

// As many as there is time for, since each known flow is a search on each lane.
int passes_for(const SwitchGraph& graph, unsigned lanes) {
  double steps = 1;
  for (const RoutedLid& lid : graph.lids())
    steps += static_cast<double>(std::min(lid.known.size(), TreeSearch::kMostDetours) * lanes * graph.num_channels());
  return static_cast<int>(std::clamp(kMostSteps / steps, 1.0, double{kFlowPasses}));
}

}  // namespace

LayeredTrees around_known_flows(const SwitchGraph& graph, LayeredTrees start) {
  TreeSearch trees = start.trees;
  keep_best(trees, 0, passes_for(graph, start.lanes.num_lanes()), {}, [&](int pass) {
    const double hot = pass < kPassesOverAll ? 0 : kHotForFlows * trees.max_load();
    for (const std::uint32_t i : shuffled(graph.lids().size(), pass))
      if (!graph.lids()[i].known.empty() && trees.known_max_load(i) >= hot)
        (void)trees.route_known_flows(i, start.lanes);
  });
  if (load_of(trees) < load_of(start.trees)) start.trees = std::move(trees);
  return start;
}

TreeSearch without_lanes(const SwitchGraph& graph, const TreeSearch& start) {
  return around_known_flows(graph, {start, LaneSets::unrestricted(graph)}).trees;
}

LayeredTrees beside(const SwitchGraph& graph, const OneLane& one, const TreeSearch& wanted, unsigned most) {
  LayeredTrees layered{one.trees, LaneSets(graph)};
  for (std::size_t i = 0; i < graph.lids().size(); ++i) one.trees.require_steps(i, layered.lanes);
  add_lanes(graph, wanted, most, layered.lanes);
  for (std::size_t i = 0; i < graph.lids().size(); ++i) (void)layered.trees.route_on_lanes(i, layered.lanes);
  return layered;
}

}  // namespace espalier
