// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/layers/dimension_order.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "core/engines/layers/dimensions.h"
#include "core/engines/layers/layered_trees.h"

namespace espalier {
namespace {

constexpr double kNearlyAsGood = 1.04;  // as kAsGood, where no other shortest paths are searched then

// Dimensions in an order in which those come first whose channels carry most, as seen from one switch. What all that has
// made its hops in one dimension chooses in the next stays together; so the steps in which the fullest are balanced are
// the smallest ones.
std::vector<std::uint32_t> busiest_first(const SwitchGraph& graph, const Dimensions& dimensions,
                                         const ShortestHops& hops) {
  const std::size_t count = dimensions.count();
  std::vector<std::uint32_t> made(graph.num_switches() * count);  // hops in each
  std::vector<double> busy(count), channels(count);
  for (std::size_t place = 1; place < hops.order().size(); ++place) {
    const Hop& hop = hops.nearer(place).front();
    const auto here = made.begin() + static_cast<std::ptrdiff_t>(index(hops.order()[place]) * count);
    std::copy_n(made.begin() + static_cast<std::ptrdiff_t>(index(hop.far) * count), count, here);
    ++here[dimensions.of(hop.channel)];
    for (std::size_t d = 0; d < count; ++d) busy[d] += here[static_cast<std::ptrdiff_t>(d)];
  }
  for (const SwitchId s : graph.fabric().switches())
    for (const Hop& hop : graph.out(s)) ++channels[dimensions.of(hop.channel)];
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return busy[a] * channels[b] > busy[b] * channels[a]; });
  return order;
}

// What the fullest channel carries at least: what all of one dimension carry together is the same on any shortest paths.
double least_by_dimensions(const SwitchGraph& graph, const Dimensions& dimensions, const TreeSearch& trees) {
  std::vector<double> load(dimensions.count());
  std::vector<std::size_t> channels(dimensions.count());
  for (const SwitchId s : graph.fabric().switches())
    for (const Hop& hop : graph.out(s)) {
      load[dimensions.of(hop.channel)] += trees.load(hop.channel);
      ++channels[dimensions.of(hop.channel)];
    }
  double least = 0;
  for (std::size_t d = 0; d < load.size(); ++d)
    if (channels[d] > 0) least = std::max(least, std::ceil(load[d] / static_cast<double>(channels[d])));
  return least;
}

}  // namespace

std::optional<TreeSearch> trees_by_dimensions(const SwitchGraph& graph, const std::shared_ptr<HopsToAll>& hops) {
  if (!hops->keeps_all() || graph.has_offsets()) return std::nullopt;
  Dimensions dimensions(graph);
  if (dimensions.count() < 2) return std::nullopt;
  dimensions.sort(busiest_first(graph, dimensions, hops->to(SwitchId{0})));
  TreeSearch trees(graph);
  std::vector<ShortestHops> lowest;  // per switch
  lowest.reserve(graph.num_switches());
  for (const SwitchId s : graph.fabric().switches()) lowest.push_back(hops->to(s).in_lowest(dimensions));
  double least = 0, before = std::numeric_limits<double>::infinity();
  for (int pass = 0; trees.max_load() < before; ++pass) {
    if (pass > 0) before = trees.max_load();
    for (const std::uint32_t i : shuffled(graph.lids().size(), pass)) {
      const ShortestHops& in_order = lowest[index(graph.lids()[i].at)];
      pass == 0 ? trees.grow(i, in_order) : trees.improve(i, in_order, kHot * before);
    }
    if (pass == 0) least = least_by_dimensions(graph, dimensions, trees);
    if (trees.max_load() <= kAsGood * least) break;
  }
  if (trees.max_load() > kNearlyAsGood * least) return std::nullopt;
  trees.all_are_shortest(hops);
  return trees;
}

}  // namespace espalier
