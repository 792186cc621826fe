// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/layers/layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/base/check.h"
#include "core/engines/layers/tree_search.h"

namespace espalier {
namespace {

constexpr int kPasses = 6;
constexpr std::uint64_t kHopeless = 5;  // one route of so many without a lane
constexpr std::size_t kMostRoots = 12;

template <class Route>
void route_all(const SwitchGraph& graph, int passes, Route route) {
  for (int pass = 0; pass < passes; ++pass)
    for (std::size_t i = 0; i < graph.lids().size(); ++i)
      if (pass == 0 || graph.lids()[i].weight > 0) route(i);
}

// Adds lanes until every route has one, or `most` are there. The number of routes without one.
std::uint64_t fill_lanes(const SwitchGraph& graph, const TreeSearch& trees, unsigned most, LaneSets& lanes) {
  std::vector<LaneMask> mask;
  for (;;) {
    std::uint64_t left = 0;
    for (std::size_t i = 0; i < graph.lids().size(); ++i) {
      trees.lanes_of(i, lanes, mask);
      const auto without = std::count(mask.begin(), mask.end(), 0);
      if (without == 0) continue;
      left += static_cast<std::uint64_t>(without);
      trees.want_lanes(i, mask, lanes);
    }
    if (lanes.num_lanes() > 0 && (left == 0 || lanes.num_lanes() >= most)) return left;
    lanes.add_lane(nullptr);
  }
}

// The switches nearest to all hosts, a few of them.
std::vector<SwitchId> candidate_roots(const SwitchGraph& graph) {
  std::vector<std::pair<std::uint64_t, SwitchId>> by_distance;
  std::vector<std::uint32_t> hops(graph.num_switches());
  for (const SwitchId root : graph.fabric().switches()) {
    std::fill(hops.begin(), hops.end(), 0);
    std::uint64_t sum = 0;
    std::vector<SwitchId> queue{root};
    hops[index(root)] = 1;
    for (std::size_t head = 0; head < queue.size(); ++head) {
      sum += std::uint64_t{hops[index(queue[head])]} * (1 + graph.hosts(queue[head]));
      for (const Hop& hop : graph.out(queue[head]))
        if (hops[index(hop.far)] == 0) {
          hops[index(hop.far)] = hops[index(queue[head])] + 1;
          queue.push_back(hop.far);
        }
    }
    // Of several parts the largest: others have roots of their own.
    sum += (graph.num_switches() - queue.size()) * graph.num_switches() * 1000;
    by_distance.emplace_back(sum, root);
  }
  std::sort(by_distance.begin(), by_distance.end());
  std::vector<SwitchId> roots;
  for (std::size_t i = 0; i < std::min(kMostRoots, by_distance.size()); ++i) roots.push_back(by_distance[i].second);
  return roots;
}

Orientation best_orientation(const SwitchGraph& graph) {
  std::optional<Orientation> best;
  std::pair<double, double> least;
  for (const SwitchId root : candidate_roots(graph)) {
    Orientation orientation = orient(graph, root);
    TreeSearch trees(graph);
    for (std::size_t i = 0; i < graph.lids().size(); ++i)
      if (graph.lids()[i].weight > 0 && graph.lids()[i].offset == 0) trees.route_up_down(i, orientation);
    const std::pair load(trees.max_load(), trees.total_load());
    if (best && load >= least) continue;
    least = load;
    best = std::move(orientation);
  }
  return best ? *std::move(best) : Orientation{};
}

struct Layered {
  TreeSearch trees;
  LaneSets lanes;
};

// Step 3 of the head of layers.h.
Layered within(const SwitchGraph& graph, const TreeSearch& shortest, unsigned most) {
  Layered layered{shortest, LaneSets(graph)};
  const Orientation orientation = best_orientation(graph);
  const std::vector<std::uint32_t> numbers = numbers_of(graph, orientation);
  std::vector<LaneMask> mask(graph.num_switches(), 0);
  for (std::size_t i = 0; i < graph.lids().size(); ++i) shortest.want_lanes(i, mask, layered.lanes);
  layered.lanes.add_lane(&numbers);
  fill_lanes(graph, shortest, most, layered.lanes);
  route_all(graph, kPasses, [&](std::size_t i) {
    if (most == 1 || !layered.trees.route_on_lanes(i, layered.lanes)) layered.trees.route_up_down(i, orientation);
  });
  return layered;
}

// Where shortest paths are many, others of them may do with the lanes that there are: trees on what lanes allow, and
// lanes for what these trees need, in turn. Whether every route has a lane at last.
bool settle(const SwitchGraph& graph, unsigned most, std::uint64_t left, Layered& layered) {
  const std::uint64_t routes = graph.lids().size() * graph.num_switches();
  Layered tried = layered;
  // Each round has to leave half as many; from more than a few there is no way.
  for (std::uint64_t most_left = routes / kHopeless; left <= most_left;) {
    most_left = left / 2;
    route_all(graph, 1, [&](std::size_t i) {
      if (graph.lids()[i].known.empty()) tried.trees.route_shortest(i, &tried.lanes);
    });
    tried.lanes = LaneSets(graph);
    left = fill_lanes(graph, tried.trees, most, tried.lanes);
    if (left > 0) continue;
    layered = std::move(tried);
    return true;
  }
  return false;
}

// Each route on the lane with the fewest, of those that allow it.
Lanes assign(const SwitchGraph& graph, const Layered& layered) {
  ServiceLevels levels = levels_by_switch(graph.fabric());
  std::vector<std::uint64_t> routes(layered.lanes.num_lanes());
  std::vector<LaneMask> mask;
  for (std::size_t i = 0; i < graph.lids().size(); ++i) {
    layered.trees.lanes_of(i, layered.lanes, mask);
    for (const SwitchId s : graph.fabric().switches()) {
      if (layered.trees.next(i, s) == kNoChannel) continue;
      std::size_t best = routes.size();
      for (std::size_t lane = 0; lane < routes.size(); ++lane)
        if ((mask[index(s)] >> lane & 1U) != 0 && (best == routes.size() || routes[lane] < routes[best])) best = lane;
      check(best < routes.size(), "a route of layers has no lane");
      routes[best] += 1 + graph.hosts(s);
      levels.set(static_cast<std::uint32_t>(s), levels.destination_class(graph.lids()[i].lid),
                 static_cast<std::uint8_t>(best));
    }
  }
  VlsBySl vls{};
  for (std::size_t sl = 0; sl < vls.size(); ++sl) vls[sl] = static_cast<std::uint8_t>(sl < routes.size() ? sl : 0);
  return {std::move(levels), LaneMaps(graph.fabric(), vls)};
}

ForwardingTables tables_of(const SwitchGraph& graph, const TreeSearch& trees) {
  const Fabric& fabric = graph.fabric();
  ForwardingTables tables(fabric.num_switches(), fabric.top_lid());
  for (std::size_t i = 0; i < graph.lids().size(); ++i) {
    const RoutedLid& lid = graph.lids()[i];
    for (const SwitchId s : fabric.switches())
      if (const ChannelId c = trees.next(i, s); c != kNoChannel) tables.set(s, lid.lid, fabric.port(c));
    tables.set(lid.at, lid.lid, lid.last_port);
  }
  return tables;
}

// Trees with detours, if these make the fullest channel emptier and lanes carry them.
void take_detours(const SwitchGraph& graph, Layered& layered, unsigned most) {
  Layered around{layered.trees, LaneSets(graph)};
  for (int pass = 0; pass < kPasses; ++pass)
    for (std::size_t i = 0; i < graph.lids().size(); ++i)
      if (!graph.lids()[i].known.empty()) around.trees.route_around(i);
  if (around.trees.max_load() >= layered.trees.max_load()) return;
  if (fill_lanes(graph, around.trees, most, around.lanes) == 0) layered.trees = std::move(around.trees);
}

}  // namespace

Result<Routing> Layers::route(const FatTree& tree) const {
  const SwitchGraph graph(tree.fabric(), flows_);
  Layered layered{TreeSearch(graph), LaneSets(graph)};
  route_all(graph, kPasses, [&](std::size_t i) { layered.trees.route_shortest(i); });
  // Every LID is reached from everywhere, on shortest paths at offset 0.
  if (!flows_.empty()) take_detours(graph, layered, max_vls_);
  std::vector<std::string> warnings;
  const std::uint64_t left = fill_lanes(graph, layered.trees, max_vls_, layered.lanes);
  if (left > 0 && !settle(graph, max_vls_, left, layered)) {
    layered = within(graph, layered.trees, max_vls_);
    warnings.push_back(fmt::format("shortest paths would need more than {} virtual lane{}: some routes are longer",
                                   max_vls_, max_vls_ == 1 ? "" : "s"));
  }
  // Every route has a lane that allows all its steps, and no lane allows a cycle.
  Routing routing{tables_of(graph, layered.trees), std::move(warnings)};
  if (layered.lanes.num_lanes() > 1) routing.lanes = assign(graph, layered);
  return routing;
}

}  // namespace espalier
