// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Trees with lanes for all their routes: the paths in which engine `layers` gets at some. Each is one step of the head
// of layers.h; which of the results is taken is decided there.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/engines/layers/tree_search.h"
#include "core/engines/routing_engine.h"
#include "core/tree/spanning_tree.h"

namespace espalier {

struct Orientation;  // orientation.h

struct LayeredTrees {
  TreeSearch trees;
  LaneSets lanes;
  std::uint64_t left = 0;  // routes that no lane carries
};

// What is to be least: the fullest channel, then the sum of all.
[[nodiscard]] std::pair<double, double> load_of(const TreeSearch& trees);

// Positions 0 .. size-1 in an order of that pass.
[[nodiscard]] std::vector<std::uint32_t> shuffled(std::size_t size, int pass);

inline constexpr int kPatience = 4;  // passes without a better one, after which no more are made

// Where passes end before their number is up: by what the fullest channel carries.
struct Goals {
  double least = 0;                                          // as good as any
  double to_beat = std::numeric_limits<double>::infinity();  // of no use unless it comes near this soon
  int patience = kPatience;
};
inline constexpr int kGlance = 2;  // passes after which it is near, or never will be
inline constexpr double kIsNear = 1.1;

// Makes passes first .. end-1, and leaves the trees after which the fullest channel was emptiest. Pass 0 makes the first
// trees.
template <class Pass>
void keep_best(TreeSearch& trees, int first, int end, Goals goals, Pass make_pass) {
  std::optional<TreeSearch> best;
  if (first > 0) best = trees;
  int best_pass = std::max(0, first - 1);
  for (int pass = first; pass < end && pass - best_pass <= goals.patience; ++pass) {
    if (pass == kGlance && best->max_load() > kIsNear * goals.to_beat) break;
    make_pass(pass);
    if (best && load_of(trees) >= load_of(*best)) continue;
    best_pass = pass;
    if (trees.max_load() <= goals.least) return;
    best = trees;
  }
  trees = *std::move(best);
}

// With one lane or two, where these tell that `most` will not do.
[[nodiscard]] std::optional<LayeredTrees> hopeless_on_lanes(const SwitchGraph& graph, const TreeSearch& trees,
                                                            unsigned most);
// Adds lanes until every route has one, or `most` are there, or it is seen that these will not do.
[[nodiscard]] LayeredTrees with_lanes(const SwitchGraph& graph, TreeSearch trees, unsigned most);

// More lanes, `most` in all, which take what `wanted` wants and the lanes before them do not allow.
void add_lanes(const SwitchGraph& graph, const TreeSearch& wanted, unsigned most, LaneSets& lanes);
// The next lane allows whatever goes along these trees, and is left to multicast.
void leave_next_to_multicast(const SwitchGraph& graph, std::span<const SpanningTree> trees, LaneSets& lanes);
// The same trees, and one lane more, or where `most` are there already the last one filled anew, is left to multicast along
// `multicast`. As it was where that leaves some route without a lane.
[[nodiscard]] LayeredTrees with_room_on_last(const SwitchGraph& graph, std::span<const SpanningTree> multicast,
                                             unsigned most, LayeredTrees layered);

inline constexpr double kAsGood = 1.005;  // of the least that the fullest channel can carry
inline constexpr double kHot = 0.9;       // of the fullest channel's load: switches behind such channels turn elsewhere
// What the fullest channel may carry where `least` is what it has to.
[[nodiscard]] double good_enough(const SwitchGraph& graph, double least);
// Shortest paths, balanced, until the fullest channel carries little enough.
[[nodiscard]] TreeSearch balanced_trees(const SwitchGraph& graph, const std::shared_ptr<HopsToAll>& hops, double least);
// The same in two steps: passes over all switches, which make most of it; then those over what is on full channels.
[[nodiscard]] TreeSearch roughly_balanced_trees(const SwitchGraph& graph, const std::shared_ptr<HopsToAll>& hops,
                                                double least);
void finish_balance(const SwitchGraph& graph, HopsToAll& hops, double least, TreeSearch& trees);
// Shortest paths by port order.
[[nodiscard]] TreeSearch trees_by_ports(const SwitchGraph& graph, const std::shared_ptr<HopsToAll>& hops);

// The same lanes, and trees improved on what they allow, as far as that makes the fullest channel emptier, down to `goal`.
[[nodiscard]] LayeredTrees rebalanced(const SwitchGraph& graph, LayeredTrees layered, double goal);

// Where shortest paths are many, others of them may do with the lanes that there are: trees on what lanes allow, and
// lanes for what these trees need, in turn. Nothing when some route is still without a lane.
[[nodiscard]] std::optional<LayeredTrees> settled(const SwitchGraph& graph, HopsToAll& hops, unsigned most,
                                                  const LayeredTrees& layered);

// Trees that need one lane: up*/down* from a good root, or what the engine for trees makes, if that is better; or paths on
// the dependencies that a lane has room for beside those, or beside up*/down* in rows.
struct OneLane {
  TreeSearch trees;
  std::vector<std::uint32_t> numbers;  // of channels, along which most steps ascend
};
// Up*/down*, routed `passes` times over.
[[nodiscard]] OneLane up_down(const SwitchGraph& graph, const Orientation& orientation, int passes);
// What the engine for trees, if any, makes, where the fabric resembles a tree. Below its tables are `on_levels`, or null.
[[nodiscard]] std::optional<Routing> routing_on_levels(const SwitchGraph& graph, const FatTree& tree,
                                                       const RoutingEngine* tree_engine);
// The first half, with up*/down* routed `passes` times over.
[[nodiscard]] OneLane tables_on_one_lane(const SwitchGraph& graph, const FatTree& tree,
                                         const ForwardingTables* on_levels, int passes);
// The same after a few passes over each: good enough for lanes beside it.
[[nodiscard]] OneLane trees_at_a_glance(const SwitchGraph& graph, const FatTree& tree, const TreeSearch& shortest,
                                        const ForwardingTables* on_levels);
[[nodiscard]] OneLane trees_on_one_lane(const SwitchGraph& graph, const FatTree& tree, const TreeSearch& shortest,
                                        const ForwardingTables* on_levels);
// On its lane, which also allows what else ascends.
[[nodiscard]] LayeredTrees alone(const SwitchGraph& graph, const OneLane& one);

// Lane 0 carries all of `one`, up to most-1 others what `shortest` wants most; trees are those that lanes allow. They are
// improved unless the fullest channel carries far more than `to_beat`.
[[nodiscard]] LayeredTrees within(const SwitchGraph& graph, const OneLane& one, const TreeSearch& shortest,
                                  unsigned most, double to_beat = std::numeric_limits<double>::infinity());

// The same on a graph with more trees, which share channels more evenly on the same lanes.
[[nodiscard]] LayeredTrees with_more_trees(const SwitchGraph& graph, const LayeredTrees& layered);

}  // namespace espalier
