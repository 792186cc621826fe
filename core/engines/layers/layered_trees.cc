// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/layers/layered_trees.h"

#include <algorithm>

#include "core/engines/layers/orientation.h"
#include "core/fabric/random_order.h"

namespace espalier {
namespace {

constexpr int kPasses = 16;
constexpr int kFlowPasses = 64;         // over known flows alone
constexpr int kPatience = 4;            // passes without a better one, after which no more are made
constexpr std::uint64_t kHopeless = 5;  // one route of so many without a lane

// Routes all LIDs several times, in a random order, and leaves the trees of the pass after which the fullest channel
// was emptiest.
template <class Route>
void route_well(const SwitchGraph& graph, TreeSearch& trees, int passes, Route route) {
  std::vector<std::uint32_t> order(graph.lids().size());
  std::iota(order.begin(), order.end(), 0);
  std::optional<TreeSearch> best;
  int best_pass = 0;
  for (int pass = 0; pass < passes && pass - best_pass <= kPatience; ++pass) {
    order = RandomOrder(static_cast<std::uint64_t>(pass), "trees").front(std::move(order), order.size());
    for (const std::uint32_t i : order)
      if (pass == 0 || graph.lids()[i].weight > 0) route(i);
    if (best && load_of(trees) >= load_of(*best)) continue;
    best = trees;
    best_pass = pass;
  }
  trees = *std::move(best);
}

void fill_lanes(const SwitchGraph& graph, unsigned most, LayeredTrees& layered) {
  std::vector<LaneMask> mask;
  do {
    if (layered.left > 0) layered.lanes.add_lane(nullptr);
    layered.left = 0;
    for (std::size_t i = 0; i < graph.lids().size(); ++i) {
      layered.trees.lanes_of(i, layered.lanes, mask);
      const auto without = std::count(mask.begin(), mask.end(), 0);
      if (without == 0) continue;
      layered.left += static_cast<std::uint64_t>(without);
      layered.trees.want_lanes(i, mask, layered.lanes);
    }
  } while (layered.left > 0 && layered.lanes.num_lanes() < most);
}

}  // namespace

std::pair<double, double> load_of(const TreeSearch& trees) { return {trees.max_load(), trees.total_load()}; }

LayeredTrees with_lanes(const SwitchGraph& graph, TreeSearch trees, unsigned most) {
  LayeredTrees layered{std::move(trees), LaneSets(graph)};
  fill_lanes(graph, most, layered);
  return layered;
}

TreeSearch balanced_trees(const SwitchGraph& graph) {
  TreeSearch trees(graph);
  route_well(graph, trees, kPasses, [&](std::size_t i) { trees.route_shortest(i); });
  return trees;
}

TreeSearch trees_by_ports(const SwitchGraph& graph) {
  TreeSearch trees(graph);
  for (std::size_t i = 0; i < graph.lids().size(); ++i) trees.route_by_ports(i);
  return trees;
}

TreeSearch trees_with_detours(const SwitchGraph& graph, TreeSearch trees) {
  route_well(graph, trees, kFlowPasses, [&](std::size_t i) {
    if (!graph.lids()[i].known.empty()) trees.route_around(i);
  });
  return trees;
}

LayeredTrees rebalanced(const SwitchGraph& graph, LayeredTrees layered) {
  TreeSearch trees = layered.trees;
  route_well(graph, trees, kPasses, [&](std::size_t i) { (void)trees.route_on_lanes(i, layered.lanes); });
  if (load_of(trees) < load_of(layered.trees)) layered.trees = std::move(trees);
  return layered;
}

std::optional<LayeredTrees> settled(const SwitchGraph& graph, unsigned most, const LayeredTrees& layered) {
  const std::uint64_t routes = graph.lids().size() * graph.num_switches();
  LayeredTrees tried = layered;
  // Each round has to leave half as many; from more than a few there is no way.
  for (std::uint64_t most_left = routes / kHopeless; tried.left <= most_left;) {
    most_left = tried.left / 2;
    for (std::size_t i = 0; i < graph.lids().size(); ++i)
      if (graph.lids()[i].weight > 0 && graph.lids()[i].known.empty()) tried.trees.route_shortest(i, &tried.lanes);
    tried = with_lanes(graph, std::move(tried.trees), most);
    if (tried.left == 0) return tried;
  }
  return std::nullopt;
}

OneLane tables_on_one_lane(const SwitchGraph& graph, const FatTree& tree, const RoutingEngine* tree_engine,
                           int passes) {
  const Orientation orientation = best_orientation(graph);
  OneLane from_root{TreeSearch(graph), numbers_of(graph, orientation)};
  route_well(graph, from_root.trees, passes, [&](std::size_t i) { from_root.trees.route_up_down(i, orientation); });
  const Result<Routing> routing = tree_engine == nullptr ? fail("none") : tree_engine->route(tree);
  if (!routing || routing->lanes) return from_root;
  OneLane on_levels{TreeSearch(graph), numbers_of(graph, orient(tree))};
  for (std::size_t i = 0; i < graph.lids().size(); ++i) on_levels.trees.take(i, routing->tables);
  return load_of(on_levels.trees) <= load_of(from_root.trees) ? on_levels : from_root;
}

OneLane trees_on_one_lane(const SwitchGraph& graph, const FatTree& tree, const TreeSearch& shortest,
                          const RoutingEngine* tree_engine) {
  OneLane one = tables_on_one_lane(graph, tree, tree_engine, kPasses);
  LayeredTrees rerouted = within(graph, one, shortest, 1);
  if (load_of(rerouted.trees) < load_of(one.trees)) one.trees = std::move(rerouted.trees);
  return one;
}

LayeredTrees alone(const SwitchGraph& graph, const OneLane& one) {
  LayeredTrees layered{one.trees, LaneSets(graph)};
  for (std::size_t i = 0; i < graph.lids().size(); ++i) one.trees.require_steps(i, layered.lanes);
  layered.lanes.add_lane(nullptr);
  return layered;
}

LayeredTrees within(const SwitchGraph& graph, const OneLane& one, const TreeSearch& shortest, unsigned most) {
  LayeredTrees layered{shortest, LaneSets(graph)};
  std::vector<LaneMask> mask(graph.num_switches(), 0);
  for (std::size_t i = 0; i < graph.lids().size(); ++i) {
    one.trees.require_steps(i, layered.lanes);
    shortest.want_lanes(i, mask, layered.lanes);
  }
  layered.lanes.add_lane(&one.numbers);
  fill_lanes(graph, most, layered);
  route_well(graph, layered.trees, kPasses, [&](std::size_t i) {
    if (!layered.trees.route_on_lanes(i, layered.lanes)) layered.trees.take(i, one.trees);
  });
  layered.left = 0;
  return layered;
}

}  // namespace espalier
