// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/layers/layered_trees.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "core/base/parallel.h"
#include "core/engines/layers/orientation.h"
#include "core/fabric/random_order.h"
#include "core/tree/cabling/tree_shape.h"

namespace espalier {

namespace {

constexpr int kPasses = 16;
constexpr int kRoughPasses = 2;         // to see whether there are lanes
constexpr int kFullPasses = 3;          // that look at all switches, not only at those on full channels
constexpr int kOffsetPasses = 4;        // for offsets above 0, each a search of its own
constexpr int kPassesWithMore = 4;      // over trees that were good while several were one
constexpr double kHotOnLanes = 0.95;    // the same where lanes have to be kept, from the second pass on
constexpr std::uint64_t kHopeless = 5;  // one route of so many without a lane
constexpr double kLongPaths = 3;        // hops; with shorter ones the first lane does not tell whether others will do
constexpr double kHopelessFirst = 0.5;  // of all routes, without a lane after the first one
constexpr double kHopelessLeft = 0.01;  // of all routes, without a lane after the last one

// Whether most hosts are at the lowest level and most links lead from one level to another. Elsewhere an engine for trees
// searches long for what has no path up, then down, and what it finds hinges on how switches are numbered.
bool resembles_tree(const SwitchGraph& graph, const FatTree& tree) {
  std::size_t with_hosts = 0, lowest = 0;
  for (const SwitchId s : graph.fabric().switches()) {
    if (graph.hosts(s) == 0) continue;
    ++with_hosts;
    lowest += tree.level(s) == Level{} ? 1 : 0;
  }
  const LinkLevels links = link_levels(tree);
  return 2 * links.within < links.all && 2 * lowest > with_hosts;
}

// All LIDs several times, in a random order.
template <class Route>
void route_well(const SwitchGraph& graph, TreeSearch& trees, int first, int end, Route route, Goals goals = {}) {
  keep_best(trees, first, end, goals, [&](int pass) {
    for (const std::uint32_t i : shuffled(graph.lids().size(), pass))
      if (pass == 0 || graph.lids()[i].weight > 0) route(i);
  });
}

// Whether lanes up to `most` will hardly take what is left, if each takes the share that the last one took. The first
// takes a smaller one than the others in some graphs.
bool is_hopeless(std::uint64_t routes, std::uint64_t before, std::uint64_t left, unsigned lanes, unsigned most) {
  const double kept = static_cast<double>(left) / static_cast<double>(before);
  return (lanes >= 2 || (lanes == 1 && kept > kHopelessFirst)) &&
         static_cast<double>(left) * std::pow(kept, most - lanes) > kHopelessLeft * static_cast<double>(routes);
}

double all_flows(const SwitchGraph& graph) {
  double hosts = 0, weights = 0;
  for (const SwitchId s : graph.fabric().switches()) hosts += graph.hosts(s);
  for (const RoutedLid& lid : graph.lids()) weights += lid.weight;
  return hosts * weights;
}

// Passes begin .. end-1 over trees of shortest paths.
void balance(const SwitchGraph& graph, HopsToAll& hops_to, int begin, int end, double least, TreeSearch& trees) {
  const std::vector<RoutedLid>& lids = graph.lids();
  std::vector<std::size_t> first;  // LIDs of one switch stay together
  for (std::size_t i = 0; i < lids.size(); ++i)
    if (i == 0 || lids[i].at != lids[i - 1].at) first.push_back(i);
  keep_best(trees, begin, end, {good_enough(graph, least)}, [&](int pass) {
    const double hot = pass < kFullPasses ? 0 : kHot * trees.max_load();
    for (const std::uint32_t group : shuffled(first.size(), pass)) {
      const ShortestHops& hops = hops_to.to(lids[first[group]].at);
      for (std::size_t i = first[group]; i < lids.size() && lids[i].at == lids[first[group]].at; ++i) {
        if (pass > 0 && lids[i].weight == 0) continue;
        if (lids[i].offset == 0)
          pass == 0 ? trees.grow(i, hops) : trees.improve(i, hops, hot);
        else if (pass < kOffsetPasses)
          trees.route_apart(i);
      }
    }
  });
}

enum class WhenHopeless : std::uint8_t { kGoOn, kStop };

void fill_lanes(const SwitchGraph& graph, unsigned most, WhenHopeless when_hopeless, LayeredTrees& layered) {
  std::vector<std::uint32_t> open(graph.lids().size());
  std::iota(open.begin(), open.end(), 0);
  std::vector<SwitchId> order;
  std::vector<LaneMask> mask;
  do {
    if (layered.left > 0) layered.lanes.add_lane(nullptr);
    const std::uint64_t before = std::exchange(layered.left, 0);
    std::erase_if(open, [&](std::uint32_t i) {
      layered.trees.inward(i, order);
      layered.trees.lanes_of(i, order, layered.lanes, mask);
      const auto without = std::count(mask.begin(), mask.end(), 0);
      layered.left += static_cast<std::uint64_t>(without);
      if (without > 0) layered.trees.want_lanes(i, order, mask, layered.lanes);
      return without == 0;
    });
    if (when_hopeless == WhenHopeless::kStop &&
        is_hopeless(graph.lids().size() * graph.num_switches(), before, layered.left, layered.lanes.num_lanes(), most))
      return;
  } while (layered.left > 0 && layered.lanes.num_lanes() < most);
}

// See tables_on_one_lane().
OneLane from_root_or_levels(const SwitchGraph& graph, const Orientation& orientation, const FatTree& tree,
                            const ForwardingTables* on_levels, int passes) {
  OneLane from_root = up_down(graph, orientation, passes);
  if (on_levels == nullptr) return from_root;
  OneLane from_levels{TreeSearch(graph), numbers_of(graph, orient(tree))};
  for (std::size_t i = 0; i < graph.lids().size(); ++i) from_levels.trees.take(i, *on_levels);
  return load_of(from_levels.trees) <= load_of(from_root.trees) ? from_levels : from_root;
}

// Lane 0 carries all of `one`, up to most-1 others what `shortest` wants most; trees are those of `shortest`, whether or not
// they have lanes.
LayeredTrees beside_one(const SwitchGraph& graph, const OneLane& one, const TreeSearch& shortest, unsigned most) {
  LayeredTrees layered{shortest, LaneSets(graph)};
  const std::vector<LaneMask> none(graph.num_switches(), 0);
  std::vector<SwitchId> order;
  for (std::size_t i = 0; i < graph.lids().size(); ++i) {
    one.trees.require_steps(i, layered.lanes);
    shortest.inward(i, order);
    shortest.want_lanes(i, order, none, layered.lanes);
  }
  layered.lanes.add_lane(&one.numbers);
  if (most > 1) fill_lanes(graph, most, WhenHopeless::kGoOn, layered);
  return layered;
}

// Passes first .. end-1 over trees on what lanes allow, lane 0 all of `one`.
void route_on_lanes(const SwitchGraph& graph, const OneLane& one, int first, int end, Goals goals,
                    LayeredTrees& layered) {
  const auto route = [&](std::size_t i) {
    if (!layered.trees.route_on_lanes(i, layered.lanes)) layered.trees.take(i, one.trees);
  };
  route_well(graph, layered.trees, first, end, route, goals);
  layered.left = 0;
}

}  // namespace

std::vector<std::uint32_t> shuffled(std::size_t size, int pass) {
  std::vector<std::uint32_t> order(size);
  std::iota(order.begin(), order.end(), 0);
  return RandomOrder(static_cast<std::uint64_t>(pass), "trees").front(std::move(order), size);
}

std::pair<double, double> load_of(const TreeSearch& trees) { return {trees.max_load(), trees.total_load()}; }

std::optional<LayeredTrees> hopeless_on_lanes(const SwitchGraph& graph, const TreeSearch& trees, unsigned most) {
  if (trees.total_load() < kLongPaths * all_flows(graph)) return std::nullopt;
  LayeredTrees layered{trees, LaneSets(graph)};
  const std::uint64_t routes = graph.lids().size() * graph.num_switches();
  std::uint64_t before = routes;
  const auto hopeless = [&] { return is_hopeless(routes, before, layered.left, layered.lanes.num_lanes(), most); };
  fill_lanes(graph, 1, WhenHopeless::kGoOn, layered);
  if (!hopeless() && most > 1 && static_cast<double>(layered.left) > kHopelessFirst * static_cast<double>(routes)) {
    before = layered.left;
    fill_lanes(graph, 2, WhenHopeless::kGoOn, layered);
  }
  if (!hopeless()) return std::nullopt;
  return layered;
}

LayeredTrees with_lanes(const SwitchGraph& graph, TreeSearch trees, unsigned most) {
  LayeredTrees layered{std::move(trees), LaneSets(graph)};
  fill_lanes(graph, most, WhenHopeless::kStop, layered);
  return layered;
}

void add_lanes(const SwitchGraph& graph, const TreeSearch& wanted, unsigned most, LaneSets& lanes) {
  std::vector<SwitchId> order;
  std::vector<LaneMask> mask;
  while (lanes.num_lanes() < most) {
    for (std::size_t i = 0; i < graph.lids().size(); ++i) {
      wanted.inward(i, order);
      wanted.lanes_of(i, order, lanes, mask);
      if (std::count(mask.begin(), mask.end(), 0) > 0) wanted.want_lanes(i, order, mask, lanes);
    }
    lanes.add_lane(nullptr);
  }
}

void leave_next_to_multicast(const SwitchGraph& graph, std::span<const SpanningTree> trees, LaneSets& lanes) {
  const Fabric& fabric = graph.fabric();
  IdVector<SwitchId, std::vector<PortNum>> ports(graph.num_switches());
  for (const SpanningTree& tree : trees)
    for (const SwitchId s : fabric.switches())
      if (const SpanningTree::Step& step = tree.steps[s]; step.parent != kNoSwitch) {
        ports[s].push_back(step.port);
        ports[step.parent].push_back(step.parent_port);
      }
  for (const SwitchId s : fabric.switches())
    for (const PortNum in : ports[s])
      for (const PortNum out : ports[s])
        if (const Peer& peer = fabric.peer(s, in); in != out)
          lanes.require(fabric.channel(peer.as_switch(), peer.port), fabric.channel(s, out));
  lanes.leave_to_multicast(lanes.num_lanes());
}

LayeredTrees with_room_on_last(const SwitchGraph& graph, std::span<const SpanningTree> multicast, unsigned most,
                               LayeredTrees layered) {
  const unsigned lanes = layered.lanes.num_lanes();
  if (lanes < most) {
    leave_next_to_multicast(graph, multicast, layered.lanes);
    layered.lanes.add_lane(nullptr);
    return layered;
  }
  LayeredTrees with_room{layered.trees, LaneSets(graph)};
  for (unsigned lane = 0; lane + 1 < lanes; ++lane) with_room.lanes.add_lane_of(layered.lanes, lane);
  leave_next_to_multicast(graph, multicast, with_room.lanes);
  add_lanes(graph, with_room.trees, lanes, with_room.lanes);
  fill_lanes(graph, lanes, WhenHopeless::kGoOn, with_room);
  return with_room.left == 0 ? with_room : layered;
}

double good_enough(const SwitchGraph& graph, double least) {
  return std::max(kAsGood * least, next_possible_load(graph, least));
}

TreeSearch roughly_balanced_trees(const SwitchGraph& graph, const std::shared_ptr<HopsToAll>& hops, double least) {
  TreeSearch trees(graph);
  balance(graph, *hops, 0, kRoughPasses, least, trees);
  if (hops->keeps_all() && !graph.has_offsets()) trees.all_are_shortest(hops);
  return trees;
}

void finish_balance(const SwitchGraph& graph, HopsToAll& hops, double least, TreeSearch& trees) {
  if (trees.max_load() > good_enough(graph, least)) balance(graph, hops, kRoughPasses, kPasses, least, trees);
}

TreeSearch balanced_trees(const SwitchGraph& graph, const std::shared_ptr<HopsToAll>& hops, double least) {
  TreeSearch trees = roughly_balanced_trees(graph, hops, least);
  finish_balance(graph, *hops, least, trees);
  return trees;
}

TreeSearch trees_by_ports(const SwitchGraph& graph, const std::shared_ptr<HopsToAll>& hops) {
  TreeSearch trees(graph);
  for (std::size_t i = 0; i < graph.lids().size(); ++i) trees.grow_by_ports(i, hops->to(graph.lids()[i].at));
  if (hops->keeps_all()) trees.all_are_shortest(hops);
  return trees;
}

LayeredTrees rebalanced(const SwitchGraph& graph, LayeredTrees layered, double goal) {
  TreeSearch trees = layered.trees;
  keep_best(trees, 0, kPasses, {goal}, [&](int pass) {
    const double hot = pass == 0 ? 0 : kHotOnLanes * trees.max_load();
    for (const std::uint32_t i : shuffled(graph.lids().size(), pass))
      if (graph.lids()[i].weight > 0) trees.improve_on_lanes(i, layered.lanes, hot);
  });
  if (load_of(trees) < load_of(layered.trees)) layered.trees = std::move(trees);
  return layered;
}

std::optional<LayeredTrees> settled(const SwitchGraph& graph, HopsToAll& hops_to, unsigned most,
                                    const LayeredTrees& layered) {
  const std::uint64_t routes = graph.lids().size() * graph.num_switches();
  LayeredTrees tried = layered;
  // Each round has to leave half as many; from more than a few there is no path.
  for (std::uint64_t most_left = routes / kHopeless; tried.left <= most_left;) {
    most_left = tried.left / 2;
    for (std::size_t i = 0; i < graph.lids().size(); ++i) {
      const RoutedLid& lid = graph.lids()[i];
      if (lid.weight == 0 || !lid.known.empty()) continue;
      const ShortestHops& hops = hops_to.to(lid.at);
      lid.offset == 0 ? tried.trees.route_shortest(i, hops, tried.lanes) : tried.trees.route_apart(i);
    }
    tried = with_lanes(graph, std::move(tried.trees), most);
    if (tried.left == 0) return tried;
  }
  return std::nullopt;
}

OneLane up_down(const SwitchGraph& graph, const Orientation& orientation, int passes) {
  OneLane one{TreeSearch(graph), numbers_of(graph, orientation)};
  const LinksUp links(graph, orientation);
  route_well(graph, one.trees, 0, passes, [&](std::size_t i) { one.trees.route_up_down(i, links); });
  return one;
}

std::optional<Routing> routing_on_levels(const SwitchGraph& graph, const FatTree& tree,
                                         const RoutingEngine* tree_engine) {
  if (tree_engine == nullptr || !resembles_tree(graph, tree)) return std::nullopt;
  Result<Routing> routing = tree_engine->route(tree);
  if (!routing || routing->lanes) return std::nullopt;
  return *std::move(routing);
}

OneLane tables_on_one_lane(const SwitchGraph& graph, const FatTree& tree, const ForwardingTables* on_levels,
                           int passes) {
  return from_root_or_levels(graph, best_orientation(graph), tree, on_levels, passes);
}

namespace {

// All that a lane may be filled from; the first is up*/down* from a good root, or what the engine for trees makes.
std::vector<OneLane> starts_on_one_lane(const SwitchGraph& graph, const Orientation& by_distance, const FatTree& tree,
                                        const ForwardingTables* on_levels) {
  if (by_distance.descending.empty()) return {from_root_or_levels(graph, by_distance, tree, on_levels, 1)};
  const SwitchId root = by_distance.descending.front();
  const Orientation by_levels = orient(tree);
  const auto in_rows = [&](AmongEquals rule) { return up_down(graph, orient_in_rows(graph, root, rule), 1); };
  std::vector<std::function<OneLane()>> ways = {
      [&] { return from_root_or_levels(graph, by_distance, tree, on_levels, 1); },
      [&] { return in_rows(AmongEquals::kStraightOn); },
      [&] { return in_rows(AmongEquals::kHighestPort); },
  };
  if (joins_all(graph, by_levels)) ways.emplace_back([&] { return up_down(graph, by_levels, 1); });
  std::vector<std::optional<OneLane>> found(ways.size());
  parallel_for(ways.size(), [&](std::size_t i) { found[i] = ways[i](); });
  std::vector<OneLane> starts;
  for (std::optional<OneLane>& start : found) starts.push_back(*std::move(start));
  return starts;
}

// A few passes over paths on what one lane allows beside each; the one with which the fullest channel is emptiest, and its
// place.
std::pair<std::size_t, LayeredTrees> emptiest(const SwitchGraph& graph, const std::vector<OneLane>& starts,
                                              const TreeSearch& shortest) {
  std::vector<std::optional<LayeredTrees>> rerouted(starts.size());
  parallel_for(starts.size(), [&](std::size_t i) {
    rerouted[i] = beside_one(graph, starts[i], shortest, 1);
    route_on_lanes(graph, starts[i], 0, kGlance, {}, *rerouted[i]);
  });
  const auto best = std::min_element(rerouted.begin(), rerouted.end(), [](const auto& a, const auto& b) {
    return load_of(a->trees) < load_of(b->trees);
  });
  return {static_cast<std::size_t>(best - rerouted.begin()), *std::move(*best)};
}

}  // namespace

OneLane trees_at_a_glance(const SwitchGraph& graph, const FatTree& tree, const TreeSearch& shortest,
                          const ForwardingTables* on_levels) {
  std::vector<OneLane> starts = starts_on_one_lane(graph, best_orientation(graph), tree, on_levels);
  auto [place, layered] = emptiest(graph, starts, shortest);
  return {std::move(layered.trees), std::move(starts[place].numbers)};
}

OneLane trees_on_one_lane(const SwitchGraph& graph, const FatTree& tree, const TreeSearch& shortest,
                          const ForwardingTables* on_levels) {
  const Orientation by_distance = best_orientation(graph);
  std::vector<OneLane> starts = starts_on_one_lane(graph, by_distance, tree, on_levels);
  auto [place, more] = emptiest(graph, starts, shortest);
  route_on_lanes(graph, starts[place], kGlance, kPasses, {}, more);
  if (load_of(more.trees) < load_of(starts.front().trees))
    return {std::move(more.trees), std::move(starts[place].numbers)};
  return from_root_or_levels(graph, by_distance, tree, on_levels, kPasses);
}

LayeredTrees alone(const SwitchGraph& graph, const OneLane& one) {
  LayeredTrees layered{one.trees, LaneSets(graph)};
  for (std::size_t i = 0; i < graph.lids().size(); ++i) one.trees.require_steps(i, layered.lanes);
  layered.lanes.add_lane(&one.numbers);
  return layered;
}

LayeredTrees with_more_trees(const SwitchGraph& graph, const LayeredTrees& layered) {
  LayeredTrees more{layered.trees.on(graph), layered.lanes};
  if (graph.lids().size() == layered.trees.graph().lids().size()) return more;
  // A tree for which no other is found stays.
  const auto route = [&](std::size_t i) { (void)more.trees.route_on_lanes(i, more.lanes); };
  const Goals goals{.patience = 1};
  route_well(graph, more.trees, 1, kPassesWithMore, route, goals);
  return more;
}

LayeredTrees within(const SwitchGraph& graph, const OneLane& one, const TreeSearch& shortest, unsigned most,
                    double to_beat) {
  LayeredTrees layered = beside_one(graph, one, shortest, most);
  route_on_lanes(graph, one, 0, kPasses, {.least = 0, .to_beat = to_beat}, layered);
  return layered;
}

}  // namespace espalier
