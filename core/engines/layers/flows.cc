// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/layers/flows.h"

#include <algorithm>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "core/engines/layers/flow_offsets.h"
#include "core/engines/layers/flow_trees.h"
#include "core/engines/layers/layered_routing.h"
#include "core/fabric/choices/lid_choices.h"

namespace espalier {
namespace {

constexpr unsigned kManyVls = 4;

// One is left for multicast, if there are several.
unsigned lanes_for_unicast(unsigned max_vls) { return max_vls < kManyVls ? max_vls : max_vls - 1; }

// The best of what other engines make, as BestLayeredTrees is of our own.
class BestOfOthers {
 public:
  BestOfOthers(const SwitchGraph& graph, unsigned max_vls) : graph_(&graph), max_vls_(max_vls), trees_(graph) {}

  void offer(const Routing& routing) {
    const unsigned lanes = routing.lanes ? routing.lanes->num_vls() : 1;
    if (lanes > max_vls_) return;
    for (std::size_t i = 0; i < graph_->lids().size(); ++i) trees_.take(i, routing.tables);
    const std::tuple cost(trees_.max_load(), trees_.total_load(), lanes);
    if (best_ && cost >= cost_) return;
    best_ = routing;
    cost_ = cost;
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

// What an engine made of this tree, for those who would ask it again.
class AlreadyRouted : public RoutingEngine {
 public:
  AlreadyRouted(const RoutingEngine& engine, const FatTree& tree)
      : name_(engine.name()), routing_(engine.route(tree)) {}
  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] Result<Routing> route(const FatTree& /*tree*/) const override { return routing_; }
  [[nodiscard]] const Result<Routing>& routing() const { return routing_; }

 private:
  std::string name_;
  Result<Routing> routing_;
};

// No channel can carry less than what one switch sends to one LID.
bool is_least(const SwitchGraph& graph, const LayeredTrees& layered) {
  double heaviest = 0;
  for (const RoutedLid& lid : graph.lids())
    if (!lid.known.empty()) heaviest = std::max(heaviest, lid.known.front().second);
  constexpr double kOtherTraffic = 1.01;
  return layered.trees.max_load() <= kOtherTraffic * heaviest;
}

// The best of our own steps. It always finds lanes for all routes.
LayeredTrees search(const SwitchGraph& graph, const FatTree& tree, unsigned max_vls,
                    const ForwardingTables* on_levels) {
  BestLayeredTrees own;
  const TreeSearch shortest = balanced_trees(graph, std::make_shared<HopsToAll>(graph), 0);
  const TreeSearch wanted = without_lanes(graph, shortest);
  own.offer(with_lanes(graph, wanted, max_vls));
  if (!own.best) own.offer(with_lanes(graph, shortest, max_vls));
  if (!own.best || !is_least(graph, *own.best)) {
    const OneLane one = tables_on_one_lane(graph, tree, on_levels, 1);
    own.offer(around_known_flows(graph, beside(graph, one, wanted, lanes_for_unicast(max_vls))));
    // With few lanes a tree with a path on either of two may leave a switch without both.
    if (max_vls < kManyVls) {
      if (max_vls > 1) own.offer(around_known_flows(graph, beside(graph, one, wanted, 1)));
      const OneLane good = trees_on_one_lane(graph, tree, shortest, on_levels);
      own.offer(alone(graph, good));
      own.offer(within(graph, good, shortest, max_vls));
    }
  }
  return *std::move(own.best);
}

// Offsets anew on these trees, and trees anew around these, in turn, as long as that makes the fullest channel emptier.
// The graphs have to outlive the trees.
class OffsetRounds {
 public:
  OffsetRounds(const Fabric& fabric, const std::vector<KnownFlow>& flows) : fabric_(&fabric), flows_(&flows) {}

  void improve(const SwitchGraph& graph, LayeredTrees& layered, FlowOffsets& offsets) {
    const SwitchGraph* last = &graph;
    for (int round = 0; round < kRounds && !is_least(*last, layered); ++round) {
      FlowOffsets turned = offsets;
      if (!improve_offsets(*last, layered.trees, *flows_, turned)) return;
      graphs_.emplace_back(*fabric_, *flows_, turned);
      TreeSearch trees(graphs_.back());
      for (std::size_t i = 0; i < graph.lids().size(); ++i) trees.take(i, layered.trees);
      LayeredTrees found = around_known_flows(graphs_.back(), {std::move(trees), layered.lanes});
      if (load_of(found.trees) >= load_of(layered.trees)) return;
      layered = std::move(found);
      offsets = std::move(turned);
      last = &graphs_.back();
    }
  }

 private:
  static constexpr int kRounds = 8;

  const Fabric* fabric_;
  const std::vector<KnownFlow>* flows_;
  std::list<SwitchGraph> graphs_;
};

}  // namespace

Result<Routing> Flows::route(const FatTree& tree) const {
  const unsigned max_vls = options_.max_vls;
  if (options_.flows.empty()) return Layers("layers", max_vls, tree_engine_, other_).route(tree);
  const Fabric& fabric = tree.fabric();
  const std::vector<KnownFlow> flows = merged_flows(options_.flows);
  const bool choose = options_.choose_lids && has_several_lids(fabric);
  FlowOffsets offsets = choose ? deal_offsets(fabric, flows) : FlowOffsets(flows.size());
  const SwitchGraph graph(fabric, flows, offsets);
  const auto tree_engine = tree_engine_ ? std::make_shared<AlreadyRouted>(*tree_engine_, tree) : nullptr;
  const std::optional<Routing> by_other = other_ ? other_(fabric) : std::nullopt;
  BestOfOthers others(graph, max_vls);
  others.offer(*Layers("layers", max_vls, tree_engine, [&](const Fabric&) { return by_other; }).route(tree));
  if (by_other) others.offer(*by_other);
  if (tree_engine && tree_engine->routing()) others.offer(*tree_engine->routing());

  const std::optional<Routing> on_levels = routing_on_levels(graph, tree, tree_engine.get());
  LayeredTrees own = search(graph, tree, max_vls, on_levels ? &on_levels->tables : nullptr);
  OffsetRounds rounds(fabric, flows);
  FlowOffsets own_offsets = offsets;
  if (choose) rounds.improve(graph, own, own_offsets);
  Routing routing{ForwardingTables(0, kNoLid), {}};
  if (others.is_better_than(own)) {
    routing = others.take();
  } else {
    if (own.lanes.num_lanes() > 1) own.lanes.repeat(lanes_for_unicast(max_vls));
    routing = routing_of(own.trees.graph(), own);
    offsets = std::move(own_offsets);
  }
  if (choose) routing.choices = choices_of(fabric, flows, offsets);
  return routing;
}

}  // namespace espalier
