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

// Passes over what does not stay in order, since channels are fuller than others.
constexpr int kTurns = 16, kTurnPatience = 3;
constexpr int kBackPasses = 2;               // over what has turned without need
constexpr double kTurnHot = 0.8;             // as kHot
constexpr std::uint32_t kFewDimensions = 5;  // with more, as rings of four have, lanes are not found soon
constexpr double kFairlyEven = 1.5;          // hosts on the switch with most of them, to the mean of those with any
constexpr double kNearlyAsGood = 1.04;       // as kAsGood, where no other shortest paths are searched then

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
    if (dimensions.of(hop.channel) < count) ++here[dimensions.of(hop.channel)];
    for (std::size_t d = 0; d < count; ++d) busy[d] += here[static_cast<std::ptrdiff_t>(d)];
  }
  for (const SwitchId s : graph.fabric().switches())
    for (const Hop& hop : graph.out(s))
      if (dimensions.of(hop.channel) < count) ++channels[dimensions.of(hop.channel)];
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

// Where some switches have many more hosts than others, what all hosts of one send together in dimension order is too much.
bool has_hosts_evenly(const SwitchGraph& graph) {
  std::uint32_t most = 0, all = 0, with_hosts = 0;
  for (const SwitchId s : graph.fabric().switches()) {
    most = std::max(most, graph.hosts(s));
    all += graph.hosts(s);
    with_hosts += graph.hosts(s) > 0 ? 1 : 0;
  }
  return most * with_hosts <= kFairlyEven * all;
}

// What a host's own link carries.
double load_of_host(const SwitchGraph& graph) {
  double all = 0;
  for (const SwitchId s : graph.fabric().switches()) all += graph.hosts(s);
  return all - 1;
}

// Per switch.
std::vector<ShortestHops> hops_in_order(const SwitchGraph& graph, HopsToAll& hops, Dimensions dimensions) {
  dimensions.sort(busiest_first(graph, dimensions, hops.to(SwitchId{0})));
  std::vector<ShortestHops> lowest;
  lowest.reserve(graph.num_switches());
  for (const SwitchId s : graph.fabric().switches()) lowest.push_back(hops.to(s).in_lowest(dimensions));
  return lowest;
}

}  // namespace

std::optional<TreeSearch> trees_by_dimensions(const SwitchGraph& graph, const std::shared_ptr<HopsToAll>& hops) {
  if (!hops->keeps_all() || graph.has_offsets()) return std::nullopt;
  const Dimensions dimensions(graph);
  if (dimensions.count() < 2) return std::nullopt;
  TreeSearch trees(graph);
  const std::vector<ShortestHops> lowest = hops_in_order(graph, *hops, dimensions);
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

std::optional<TreeSearch> trees_nearly_by_dimensions(const SwitchGraph& graph, const std::shared_ptr<HopsToAll>& hops,
                                                     double least) {
  if (!hops->keeps_all() || graph.has_offsets() || !has_hosts_evenly(graph)) return std::nullopt;
  const Dimensions dimensions = Dimensions::of_damaged(graph);
  if (dimensions.count() < 2 || dimensions.count() > kFewDimensions) return std::nullopt;
  TreeSearch trees(graph);
  const std::vector<ShortestHops> lowest = hops_in_order(graph, *hops, dimensions);
  // With links of several speeds the search makes the fullest channel emptier; that is of no use where hosts' own links carry
  // as much.
  const double most = graph.taken().empty() ? std::numeric_limits<double>::infinity() : load_of_host(graph);
  const Goals goals{.least = good_enough(graph, least), .to_beat = most, .patience = kTurnPatience};
  keep_best(trees, 0, kTurns, goals, [&](int pass) {
    const double hot = kTurnHot * trees.max_load();
    for (const std::uint32_t i : shuffled(graph.lids().size(), pass)) {
      const SwitchId at = graph.lids()[i].at;
      pass == 0 ? trees.grow(i, lowest[index(at)]) : trees.improve(i, hops->to(at), hot);
    }
  });
  if (trees.max_load() > most) return std::nullopt;
  const double fullest = trees.max_load();
  for (int pass = 0; pass < kBackPasses; ++pass)
    for (const std::uint32_t i : shuffled(graph.lids().size(), pass))
      trees.turn_back(i, lowest[index(graph.lids()[i].at)], fullest);
  trees.all_are_shortest(hops);
  return trees;
}

}  // namespace espalier
