// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/layers/layered_routing.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/engines/layers/tables_of_trees.h"

namespace espalier {
namespace {

// Which lane a route takes, of those that allow it.
class LaneChoice {
 public:
  LaneChoice(const SwitchGraph& graph, const LayeredTrees& layered)
      : graph_(graph),
        trees_(layered.trees),
        lanes_(layered.lanes.num_lanes()),
        routes_(lanes_),
        known_(lanes_ * graph.fabric().num_channels()) {}

  // The lane with the fewest routes.
  std::uint8_t take(std::size_t i, SwitchId s, LaneMask allowed) {
    std::uint8_t best = kNone;
    for (LaneMask left = allowed; left != 0; left &= static_cast<LaneMask>(left - 1)) {
      const auto lane = static_cast<std::uint8_t>(std::countr_zero(left));
      if (best == kNone || routes_[lane] < routes_[best]) best = lane;
    }
    return count(i, s, best);
  }
  // For a known flow: the lane that others use least along its path. What waits on a lane keeps waiting all behind it.
  std::uint8_t take_known(std::size_t i, SwitchId s, double weight, LaneMask allowed) {
    std::uint8_t best = kNone;
    double least = std::numeric_limits<double>::infinity();
    for (std::uint8_t lane = 0; lane < lanes_; ++lane) {
      if ((allowed >> lane & 1U) == 0) continue;
      double met = 0;
      along(i, s, lane, [&](double known) { met += known * known; });
      if (met >= least) continue;
      least = met;
      best = lane;
    }
    if (best != kNone) along(i, s, best, [&](double& known) { known += weight; });
    return count(i, s, best);
  }

 private:
  static constexpr std::uint8_t kNone = 0xFF;

  std::uint8_t count(std::size_t i, SwitchId s, std::uint8_t lane) {
    check(lane != kNone, "a route of layers has no lane");
    routes_[lane] += (1 + graph_.hosts(s)) * (1 + graph_.lids()[i].sharing.size());
    return lane;
  }
  template <class Visit>
  void along(std::size_t i, SwitchId s, std::uint8_t lane, Visit visit) {
    for (ChannelId c = trees_.next(i, s); c != kNoChannel; c = trees_.next(i, graph_.far(c)))
      visit(known_[index(c) * lanes_ + lane]);
  }

  const SwitchGraph& graph_;
  const TreeSearch& trees_;
  std::size_t lanes_;
  std::vector<std::uint64_t> routes_;  // per lane
  std::vector<double> known_;          // per channel and lane
};

// Per lane the service level, which is the lane that it has in the end. Multicast goes by SL 0: that is the lane that has
// been left to it, else the one with the fewest dependencies.
std::vector<std::uint8_t> service_levels(const LaneSets& lanes) {
  const std::vector<std::size_t> sizes = lanes.sizes();
  std::vector<std::size_t> by_size(sizes.size());
  for (std::size_t i = 0; i < by_size.size(); ++i) by_size[i] = by_size.size() - 1 - i;
  std::stable_sort(by_size.begin(), by_size.end(), [&](auto a, auto b) { return sizes[a] < sizes[b]; });
  if (const auto first = lanes.for_multicast()) {
    const auto at = std::find(by_size.begin(), by_size.end(), *first);
    std::rotate(by_size.begin(), at, at + 1);
  }
  std::vector<std::uint8_t> sl(sizes.size());
  for (std::size_t i = 0; i < by_size.size(); ++i) sl[by_size[i]] = static_cast<std::uint8_t>(i);
  return sl;
}

Lanes assign(const SwitchGraph& graph, const LayeredTrees& layered) {
  ServiceLevels levels = levels_by_switch(graph.fabric());
  const std::vector<std::uint8_t> sl_of = service_levels(layered.lanes);
  LaneChoice choice(graph, layered);
  std::vector<LaneMask> mask;
  std::vector<SwitchId> order;
  std::vector<double> known(graph.num_switches());
  for (std::size_t i = 0; i < graph.lids().size(); ++i) {
    const RoutedLid& lid = graph.lids()[i];
    layered.trees.inward(i, order);
    layered.trees.lanes_of(i, order, layered.lanes, mask);
    for (const auto& [from, weight] : lid.known) known[index(from)] = weight;
    for (const SwitchId s : graph.fabric().switches()) {
      if (layered.trees.next(i, s) == kNoChannel) continue;
      const double weight = std::exchange(known[index(s)], 0);
      const std::uint8_t lane =
          weight > 0 ? choice.take_known(i, s, weight, mask[index(s)]) : choice.take(i, s, mask[index(s)]);
      levels.set(static_cast<std::uint32_t>(s), levels.destination_class(lid.lid), sl_of[lane]);
    }
    for (const auto& [other, port] : lid.sharing)
      levels.set_destination_class(other, levels.destination_class(lid.lid));
  }
  VlsBySl vls{};
  for (std::size_t sl = 0; sl < vls.size(); ++sl)
    vls[sl] = static_cast<std::uint8_t>(sl < layered.lanes.num_lanes() ? sl : 0);
  return {std::move(levels), LaneMaps(graph.fabric(), vls)};
}

}  // namespace

LayeredCost cost_of(const LayeredTrees& layered) {
  return {layered.trees.max_load(), layered.trees.total_load(), layered.lanes.num_lanes()};
}

void BestLayeredTrees::offer(std::optional<LayeredTrees> found) {
  if (found && found->left == 0 && (!best || cost_of(*found) < cost_of(*best))) best = std::move(found);
}

Routing routing_of(const SwitchGraph& graph, const LayeredTrees& layered) {
  const auto port = [&](std::size_t i, SwitchId s) {
    const ChannelId c = layered.trees.next(i, s);
    return c == kNoChannel ? kNoPort : graph.fabric().port(c);
  };
  Routing routing{tables_of_trees(graph, port), {}};
  if (layered.lanes.num_lanes() > 1) routing.lanes = assign(graph, layered);
  return routing;
}

}  // namespace espalier
