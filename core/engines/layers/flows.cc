// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/layers/flows.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "core/engines/layers/flow_trees.h"
#include "core/engines/layers/layered_routing.h"

namespace espalier {
namespace {

constexpr unsigned kManyVls = 4;

// The best of what other engines make, as BestLayeredTrees is of our own.
class BestOfOthers {
 public:
  BestOfOthers(const SwitchGraph& graph, unsigned max_vls) : graph_(&graph), max_vls_(max_vls), trees_(graph) {}

  void offer(std::optional<Routing> routing) {
    if (!routing) return;
    const unsigned lanes = routing->lanes ? routing->lanes->num_vls() : 1;
    if (lanes > max_vls_) return;
    for (std::size_t i = 0; i < graph_->lids().size(); ++i) trees_.take(i, routing->tables);
    const std::tuple cost(trees_.max_load(), trees_.total_load(), lanes);
    if (best_ && cost >= cost_) return;
    best_ = std::move(routing);
    cost_ = cost;
  }
  void offer(Result<Routing> routing) {
    if (routing) offer(std::optional(*std::move(routing)));
  }
  [[nodiscard]] bool is_better_than(const LayeredTrees& own) const {
    return best_ && cost_ < std::tuple(own.trees.max_load(), own.trees.total_load(), own.lanes.num_lanes());
  }
  [[nodiscard]] Routing take() { return *std::move(best_); }

 private:
  const SwitchGraph* graph_;
  unsigned max_vls_;
  TreeSearch trees_;
  std::optional<Routing> best_;
  std::tuple<double, double, unsigned> cost_;
};

// No channel can carry less than what one switch sends to one LID.
bool is_least(const SwitchGraph& graph, const LayeredTrees& layered) {
  double heaviest = 0;
  for (const RoutedLid& lid : graph.lids())
    if (!lid.known.empty()) heaviest = std::max(heaviest, lid.known.front().second);
  constexpr double kOtherTraffic = 1.01;
  return layered.trees.max_load() <= kOtherTraffic * heaviest;
}

}  // namespace

Result<Routing> Flows::route(const FatTree& tree) const {
  const Layers layers("layers", max_vls_, tree_engine_, other_);
  if (flows_.empty()) return layers.route(tree);
  const SwitchGraph graph(tree.fabric(), flows_);
  BestOfOthers others(graph, max_vls_);
  others.offer(layers.route(tree));
  if (other_) others.offer(other_(tree.fabric()));
  if (tree_engine_) others.offer(tree_engine_->route(tree));

  // One is left for multicast, if there are several.
  const unsigned most = max_vls_ < kManyVls ? max_vls_ : max_vls_ - 1;
  BestLayeredTrees own;
  const TreeSearch shortest = balanced_trees(graph, 0);
  const TreeSearch wanted = without_lanes(graph, shortest);
  own.offer(with_lanes(graph, wanted, max_vls_));
  if (!own.best) own.offer(with_lanes(graph, shortest, max_vls_));
  if (!own.best || !is_least(graph, *own.best)) {
    const OneLane one = tables_on_one_lane(graph, tree, tree_engine_.get(), 1);
    own.offer(around_known_flows(graph, beside(graph, one, wanted, most)));
    // With few lanes a tree with a path on either of two may leave a switch without both.
    if (max_vls_ < kManyVls) {
      if (max_vls_ > 1) own.offer(around_known_flows(graph, beside(graph, one, wanted, 1)));
      const OneLane good = trees_on_one_lane(graph, tree, shortest, tree_engine_.get());
      own.offer(alone(graph, good));
      own.offer(within(graph, good, shortest, max_vls_));
    }
  }
  // The last step always finds lanes for all routes.
  if (others.is_better_than(*own.best)) return others.take();
  if (own.best->lanes.num_lanes() > 1) own.best->lanes.repeat(most);
  return routing_of(graph, *own.best);
}

}  // namespace espalier
