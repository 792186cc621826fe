// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/layers/layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/text.h"
#include "core/engines/layers/dimension_order.h"
#include "core/engines/layers/layered_routing.h"

namespace espalier {
namespace {

// Of the fullest channel's load with any number of lanes: where the search ends, or need not begin, and where it goes no
// other way.
constexpr double kGood = 1.03;
constexpr double kEnough = 1.06;
constexpr unsigned kFewLanes = 4;   // enough for dimension order where links are missing
constexpr unsigned kMoreLanes = 2;  // for other paths than by dimensions; the last has room for multicast

// Another engine's routing.
struct Elsewhere {
  Routing routing;
  LayeredCost cost;
};

Elsewhere weighed(const SwitchGraph& graph, Routing routing) {
  const SwitchGraph shared =
      graph.has_offsets() ? graph : graph.sharing_trees(table_columns(graph.fabric(), routing.tables));
  TreeSearch trees(shared);
  for (std::size_t i = 0; i < shared.lids().size(); ++i) trees.take(i, routing.tables);
  const unsigned lanes = routing.lanes ? routing.lanes->num_vls() : 1;
  return {std::move(routing), {trees.max_load(), trees.total_load(), lanes}};
}

// Where it has one that needs no more lanes than there are.
std::optional<Elsewhere> ask_elsewhere(const SwitchGraph& graph, const OtherRouting& other, unsigned max_vls) {
  if (!other || graph.has_offsets()) return std::nullopt;
  std::optional<Routing> routing = other(graph.fabric());
  if (!routing || (routing->lanes && routing->lanes->num_vls() > max_vls)) return std::nullopt;
  return weighed(graph, *std::move(routing));
}

bool is_good(const std::optional<Elsewhere>& elsewhere, double least) {
  return elsewhere && std::get<0>(elsewhere->cost) <= kGood * least;
}

// What one switch sends along one tree, at most, of the least that the fullest channel can carry: steps in which trees
// share channels.
constexpr double kSmallStep = 0.06;
constexpr double kSmallerStep = 0.03;    // where paths may be longer: to find lanes and paths on them
constexpr double kSmallestStep = 0.003;  // and for the last passes over these

// One tree for several LIDs of a switch: for up to `most` of its hosts, and itself. With offsets each LID has its own.
SwitchGraph with_fewer_trees(const SwitchGraph& graph, double most) {
  if (graph.has_offsets()) return graph;
  return graph.sharing_trees(static_cast<std::uint32_t>(std::max(1.0, most)));
}

// So many that no switch sends more than `step` along it.
double hosts_to_a_tree(const SwitchGraph& graph, double step) {
  std::uint32_t most_hosts = 1;
  for (const SwitchId s : graph.fabric().switches()) most_hosts = std::max(most_hosts, graph.hosts(s));
  return step / most_hosts;
}

struct ShortestPaths {
  TreeSearch trees;
  LayeredTrees layered;
};

// Balanced shortest paths, or others by ports, if lanes carry those better.
ShortestPaths offer_shortest(const FatTree& tree, const SwitchGraph& graph, const std::shared_ptr<HopsToAll>& hops,
                             double least, unsigned max_vls, BestLayeredTrees& choice) {
  if (std::optional<TreeSearch> by_dimensions = trees_by_dimensions(graph, hops)) {
    LayeredTrees layered = with_lanes(graph, *by_dimensions, max_vls);
    if (layered.left == 0) {
      if (layered.lanes.num_lanes() > 1)
        layered = with_room_on_last(graph, breadth_first_from_lowest(tree), max_vls, std::move(layered));
      choice.offer(layered);
      return {*std::move(by_dimensions), std::move(layered)};
    }
  }
  std::optional<TreeSearch> shortest;
  if (max_vls > 1) shortest = trees_nearly_by_dimensions(graph, hops, least);
  std::optional<LayeredTrees> layered;
  if (shortest) layered = with_lanes(graph, *shortest, std::min(max_vls, kFewLanes));
  if (!layered || layered->left > 0) {
    shortest = roughly_balanced_trees(graph, hops, least);
    layered = hopeless_on_lanes(graph, *shortest, max_vls);
  }
  if (!layered) {
    finish_balance(graph, *hops, least, *shortest);
    layered = with_lanes(graph, *shortest, max_vls);
  }
  choice.offer(layered);
  if (layered->left > 0 || layered->lanes.num_lanes() > 1) {
    TreeSearch by_ports = trees_by_ports(graph, hops);
    // Of trees that are no emptier only what needs fewer lanes is better.
    const bool emptier = layered->left > 0 || by_ports.max_load() < shortest->max_load();
    if (emptier || by_ports.max_load() == shortest->max_load())
      choice.offer(with_lanes(graph, std::move(by_ports), emptier ? max_vls : layered->lanes.num_lanes() - 1));
  }
  return {*std::move(shortest), *std::move(layered)};
}

// Longer paths on the lanes that there are, beside a good one lane. Where shortest paths have their lanes, longer ones on one
// lane can hardly be emptier.
LayeredTrees longer_paths(const FatTree& tree, const SwitchGraph& graph, const TreeSearch& shortest, unsigned max_vls,
                          const ForwardingTables* on_levels, const std::optional<LayeredTrees>& to_beat) {
  if (to_beat && max_vls > 1) {
    const OneLane one = trees_at_a_glance(graph, tree, shortest, on_levels);
    return within(graph, one, shortest, max_vls, to_beat->trees.max_load());
  }
  const OneLane one = trees_on_one_lane(graph, tree, shortest, on_levels);
  BestLayeredTrees best;
  best.offer(alone(graph, one));
  if (max_vls > 1) best.offer(within(graph, one, shortest, max_vls));
  return *std::move(best.best);
}

}  // namespace

Result<Routing> Layers::route(const FatTree& tree) const {
  SwitchGraph graph(tree.fabric());
  const auto hops = std::make_shared<HopsToAll>(graph);
  const double least = graph.load_slow_links(least_fullest_load(graph, *hops));
  std::optional<Elsewhere> elsewhere = ask_elsewhere(graph, other_, max_vls_);
  if (is_good(elsewhere, least)) return std::move(elsewhere->routing);
  std::optional<Elsewhere> on_levels;
  if (std::optional<Routing> routing = routing_on_levels(graph, tree, tree_engine_.get()))
    on_levels = weighed(graph, *std::move(routing));
  if (is_good(on_levels, least)) return std::move(on_levels->routing);

  const SwitchGraph few = with_fewer_trees(graph, hosts_to_a_tree(graph, kSmallStep * least));
  std::optional<SwitchGraph> some, more;  // trees; what is chosen may be on them
  BestLayeredTrees choice;
  // Every LID is reached from everywhere, on shortest paths at offset 0.
  const auto [shortest, layered] = offer_shortest(tree, few, hops, least, max_vls_, choice);
  const double most = shortest.max_load();
  if (layered.left > 0 && choice.best) {
    LayeredTrees with_room = *choice.best;
    const unsigned lanes = std::min(with_room.lanes.num_lanes() + kMoreLanes, max_vls_);
    if (lanes > with_room.lanes.num_lanes()) {
      if (lanes > with_room.lanes.num_lanes() + 1) with_room.lanes.add_lane_of(layered.lanes, 0);
      leave_next_to_multicast(few, breadth_first_from_lowest(tree), with_room.lanes);
      add_lanes(few, shortest, lanes, with_room.lanes);
    }
    choice.offer(rebalanced(few, std::move(with_room), kGood * most));
  }
  if (layered.left > 0 && !(choice.best && choice.best->trees.max_load() <= kEnough * most)) {
    if (std::optional<LayeredTrees> found = settled(few, *hops, max_vls_, layered))
      choice.offer(rebalanced(few, *std::move(found), kGood * most));
    some = with_fewer_trees(graph, hosts_to_a_tree(graph, kSmallerStep * least));
    more = with_fewer_trees(graph, hosts_to_a_tree(graph, kSmallestStep * least));
    const ForwardingTables* tables = on_levels ? &on_levels->routing.tables : nullptr;
    choice.offer(with_more_trees(*more, longer_paths(tree, *some, shortest.on(*some), max_vls_, tables, choice.best)));
  }
  if (on_levels && (!elsewhere || on_levels->cost < elsewhere->cost)) elsewhere = std::move(on_levels);
  if (elsewhere && elsewhere->cost < cost_of(*choice.best)) return std::move(elsewhere->routing);
  // Every route has a lane that allows all its steps, and no lane allows a cycle.
  Routing routing = routing_of(choice.best->trees.graph(), *choice.best);
  if (layered.left > 0 && choice.best->trees.total_load() > shortest.total_load())
    routing.warnings.push_back(fmt::format("shortest paths would need more than {}: some routes are longer",
                                           counted(max_vls_, "virtual lane")));
  return routing;
}

}  // namespace espalier
