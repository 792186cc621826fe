// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/layers/up_down_trees.h"

#include <array>
#include <optional>
#include <utility>

#include "core/base/parallel.h"
#include "core/engines/layers/layered_routing.h"
#include "core/engines/layers/orientation.h"

namespace espalier {
namespace {

constexpr std::size_t kManySteps = std::size_t{1} << 20;  // beyond, the trees of a switch are one

SwitchGraph with_few_trees(const SwitchGraph& graph) {
  const std::size_t trees = graph.lids().size();
  if (trees * graph.num_switches() <= kManySteps) return graph;
  return graph.sharing_trees(static_cast<std::uint32_t>(trees));
}

}  // namespace

Result<Routing> UpDownTrees::route(const FatTree& tree) const {
  const SwitchGraph graph = with_few_trees(SwitchGraph(tree.fabric()));
  const SwitchId root = central_switch(graph);
  constexpr std::array kAmongEquals{AmongEquals::kStraightOn, AmongEquals::kHighestPort};
  std::array<std::optional<OneLane>, kAmongEquals.size()> found;
  parallel_for(found.size(),
               [&](std::size_t i) { found[i] = up_down(graph, orient_in_rows(graph, root, kAmongEquals[i]), 1); });
  const bool is_first = load_of(found[0]->trees) <= load_of(found[1]->trees);
  return routing_of(graph, {std::move(found[is_first ? 0 : 1]->trees), LaneSets(graph)});
}

}  // namespace espalier
