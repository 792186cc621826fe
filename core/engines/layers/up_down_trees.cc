// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/layers/up_down_trees.h"

#include <array>
#include <optional>
#include <utility>

#include "core/base/parallel.h"
#include "core/engines/layers/orientation.h"
#include "core/engines/layers/tables_of_trees.h"
#include "core/engines/layers/up_down_search.h"

namespace espalier {
namespace {

constexpr std::size_t kManySteps = std::size_t{1} << 20;  // beyond, the trees of a switch are one

SwitchGraph with_few_trees(const SwitchGraph& graph) {
  const std::size_t trees = graph.lids().size();
  if (trees * graph.num_switches() <= kManySteps) return graph;
  return graph.sharing_trees(static_cast<std::uint32_t>(trees));
}

}  // namespace

Result<Routing> UpDownTrees::route(const FatTree& tree) const { return route(tree.fabric()); }

Routing UpDownTrees::route(const Fabric& fabric) {
  const SwitchGraph graph = with_few_trees(SwitchGraph(fabric));
  const SwitchId root = central_switch(graph);
  constexpr std::array kAmongEquals{AmongEquals::kStraightOn, AmongEquals::kHighestPort};
  std::array<std::optional<UpDownSearch>, kAmongEquals.size()> found;
  parallel_for(found.size(),
               [&](std::size_t i) { found[i].emplace(graph, orient_in_rows(graph, root, kAmongEquals[i])); });
  const auto loads = [](const UpDownSearch& trees) { return std::pair(trees.max_load(), trees.total_load()); };
  const UpDownSearch& best = loads(*found[0]) <= loads(*found[1]) ? *found[0] : *found[1];
  return Routing{tables_of_trees(graph, [&](std::size_t i, SwitchId s) { return best.port(i, s); }), {}};
}

}  // namespace espalier
