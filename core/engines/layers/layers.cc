// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/layers/layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/base/text.h"
#include "core/engines/layers/dimension_order.h"
#include "core/engines/layers/layered_routing.h"

namespace espalier {
namespace {

// Of the fullest channel's load with any number of lanes: where the search ends, or need not begin, and where it goes no
// other way.
constexpr double kGood = 1.03;
constexpr double kEnough = 1.06;
constexpr unsigned kMoreLanes = 2;  // for other paths than by dimensions; the last has room for multicast

struct Elsewhere {
  Routing routing;
  std::pair<double, double> load;
};

// Another engine's routing, where it has one that needs no more lanes than there are.
std::optional<Elsewhere> ask_elsewhere(const SwitchGraph& graph, const OtherRouting& other, unsigned max_vls) {
  if (!other || graph.has_offsets()) return std::nullopt;
  std::optional<Routing> routing = other(graph.fabric());
  if (!routing || (routing->lanes && routing->lanes->num_vls() > max_vls)) return std::nullopt;
  const SwitchGraph shared = graph.sharing_trees(table_columns(graph.fabric(), routing->tables));
  TreeSearch trees(shared);
  for (std::size_t i = 0; i < shared.lids().size(); ++i) trees.take(i, routing->tables);
  return Elsewhere{*std::move(routing), load_of(trees)};
}

// What one switch sends along one tree, at most, of the least that the fullest channel can carry: steps in which trees
// share channels.
constexpr double kSmallStep = 0.06;

// One tree for several LIDs of a switch: for up to `most` of its hosts, and itself. With offsets each LID has its own.
SwitchGraph with_fewer_trees(const SwitchGraph& graph, double most) {
  if (graph.has_offsets()) return graph;
  return graph.sharing_trees(static_cast<std::uint32_t>(std::max(1.0, most)));
}

// As far as what is sent along each is little.
double hosts_to_a_tree(const SwitchGraph& graph, double least) {
  std::uint32_t most_hosts = 1;
  for (const SwitchId s : graph.fabric().switches()) most_hosts = std::max(most_hosts, graph.hosts(s));
  return kSmallStep * least / most_hosts;
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
  TreeSearch shortest = roughly_balanced_trees(graph, hops, least);
  std::optional<LayeredTrees> layered = hopeless_on_lanes(graph, shortest, max_vls);
  if (!layered) {
    finish_balance(graph, *hops, least, shortest);
    layered = with_lanes(graph, shortest, max_vls);
  }
  choice.offer(layered);
  if (layered->left > 0 || layered->lanes.num_lanes() > 1) {
    TreeSearch by_ports = trees_by_ports(graph, hops);
    // Of trees that are no emptier only what needs fewer lanes is better.
    const bool emptier = layered->left > 0 || by_ports.max_load() < shortest.max_load();
    if (emptier || by_ports.max_load() == shortest.max_load())
      choice.offer(with_lanes(graph, std::move(by_ports), emptier ? max_vls : layered->lanes.num_lanes() - 1));
  }
  return {std::move(shortest), *std::move(layered)};
}

}  // namespace

Result<Routing> Layers::route(const FatTree& tree) const {
  SwitchGraph graph(tree.fabric());
  const auto hops = std::make_shared<HopsToAll>(graph);
  const double least = graph.load_slow_links(least_fullest_load(graph, *hops));
  std::optional<Elsewhere> elsewhere = ask_elsewhere(graph, other_, max_vls_);
  if (elsewhere && elsewhere->load.first <= kGood * least) return std::move(elsewhere->routing);
  const SwitchGraph few = with_fewer_trees(graph, hosts_to_a_tree(graph, least));
  std::optional<SwitchGraph> each_host;  // with a tree for each; what is chosen may be on it
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
    // Where shortest paths have their lanes, longer ones on one lane can hardly be emptier.
    each_host = with_fewer_trees(graph, 1);
    const TreeSearch for_each_host = shortest.on(*each_host);
    if (choice.best && max_vls_ > 1) {
      const OneLane one = trees_at_a_glance(*each_host, tree, for_each_host, tree_engine_.get());
      choice.offer(within(*each_host, one, for_each_host, max_vls_, choice.best->trees.max_load()));
    } else {
      const OneLane one = trees_on_one_lane(*each_host, tree, for_each_host, tree_engine_.get());
      if (max_vls_ > 1) choice.offer(within(*each_host, one, for_each_host, max_vls_));
      choice.offer(alone(*each_host, one));
    }
  } else if (layered.lanes.num_lanes() > 1) {
    const std::optional<OneLane> on_levels = tables_on_levels(graph, tree, tree_engine_.get());
    if (on_levels && load_of(on_levels->trees) <= load_of(choice.best->trees)) choice.offer(alone(graph, *on_levels));
  }
  if (elsewhere && elsewhere->load < load_of(choice.best->trees)) return std::move(elsewhere->routing);
  // Every route has a lane that allows all its steps, and no lane allows a cycle.
  Routing routing = routing_of(choice.best->trees.graph(), *choice.best);
  if (layered.left > 0 && choice.best->trees.total_load() > shortest.total_load())
    routing.warnings.push_back(fmt::format("shortest paths would need more than {}: some routes are longer",
                                           counted(max_vls_, "virtual lane")));
  return routing;
}

}  // namespace espalier
