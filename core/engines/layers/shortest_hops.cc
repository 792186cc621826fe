// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/layers/shortest_hops.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace espalier {
namespace {

constexpr std::size_t kMostHopsKept = 1U << 22U;

}  // namespace

HopsToAll::HopsToAll(const SwitchGraph& graph)
    : searches_(graph.num_switches() * graph.num_channels() <= kMostHopsKept
                    ? std::max<std::size_t>(1, graph.num_switches())
                    : 1,
                ShortestHops(graph)) {}

void ShortestHops::aim_at(SwitchId target) {
  if (target == target_) return;
  target_ = target;
  distance_.assign(graph_->num_switches(), kFar);
  distance_[index(target)] = 0;
  order_.resize(graph_->num_switches());
  first_.resize(graph_->num_switches() + 1);
  hops_.resize(graph_->num_channels() / 2);  // of both directions of a link at most one leads nearer
  std::uint32_t* const distance = distance_.data();
  SwitchId* known = order_.data();
  Hop* nearer = hops_.data();
  *known++ = target;
  // When a switch comes up, all that are nearer have their distances.
  std::size_t place = 0;
  for (; order_.data() + place < known; ++place) {
    first_[place] = static_cast<std::uint32_t>(nearer - hops_.data());
    const std::uint32_t here = distance[index(order_[place])];
    for (const Hop& hop : graph_->out(order_[place])) {
      std::uint32_t& there = distance[index(hop.far)];
      if (there == kFar) {
        there = here + 1;
        *known++ = hop.far;
      } else if (there + 1 == here) {
        *nearer++ = hop;
      }
    }
  }
  order_.resize(place);
  first_.resize(place + 1);
  hops_.resize(static_cast<std::size_t>(nearer - hops_.data()));
  first_[place] = static_cast<std::uint32_t>(hops_.size());
}

ShortestHops ShortestHops::in_lowest(const Dimensions& dimensions) const {
  ShortestHops kept(*graph_);
  kept.order_ = order_;
  kept.first_.reserve(first_.size());
  kept.hops_.reserve(order_.size());
  for (std::size_t place = 0; place < order_.size(); ++place) {
    kept.first_.push_back(static_cast<std::uint32_t>(kept.hops_.size()));
    std::uint32_t lowest = dimensions.count();
    for (const Hop& hop : nearer(place)) lowest = std::min(lowest, dimensions.of(hop.channel));
    for (const Hop& hop : nearer(place))
      if (dimensions.of(hop.channel) == lowest) kept.hops_.push_back(hop);
  }
  kept.first_.push_back(static_cast<std::uint32_t>(kept.hops_.size()));
  return kept;
}

double least_fullest_load(const SwitchGraph& graph, HopsToAll& hops_to) {
  std::vector<double> load(graph.fabric().num_channels());
  std::vector<double> flows(graph.num_switches());
  std::vector<double> sent(graph.num_switches());  // to others
  double total = 0;
  const std::vector<RoutedLid>& lids = graph.lids();
  for (std::size_t i = 0, end = 0; i < lids.size(); i = end) {
    double weight = 0;
    for (end = i; end < lids.size() && lids[end].at == lids[i].at; ++end)
      weight += lids[end].offset == 0 ? lids[end].weight : 0;
    if (weight == 0) continue;
    const ShortestHops& hops = hops_to.to(lids[i].at);
    for (const SwitchId s : hops.order()) flows[index(s)] = graph.hosts(s) * weight;
    for (std::size_t place = hops.order().size() - 1; place > 0; --place) {
      const auto nearer = hops.nearer(place);
      const SwitchId s = hops.order()[place];
      total += graph.hosts(s) * weight * hops.distance(s);
      sent[index(s)] += graph.hosts(s) * weight;
      if (nearer.size() != 1) continue;
      load[index(nearer.front().channel)] += flows[index(s)];
      flows[index(nearer.front().far)] += flows[index(s)];
    }
  }
  if (total == 0) return 0;
  double least = std::ceil(total / static_cast<double>(graph.num_channels()));
  for (const SwitchId s : graph.fabric().switches())
    if (sent[index(s)] > 0)
      least = std::max(least, std::ceil(sent[index(s)] / static_cast<double>(graph.out(s).size())));
  return std::max(*std::max_element(load.begin(), load.end()), least);
}

double next_possible_load(const SwitchGraph& graph, double load) {
  std::uint64_t hosts = 0, weights = 0;
  for (const SwitchId s : graph.fabric().switches()) hosts = std::gcd(hosts, graph.hosts(s));
  for (const RoutedLid& lid : graph.lids()) {
    if (!lid.known.empty() || lid.weight != std::floor(lid.weight)) return load;
    weights = std::gcd(weights, static_cast<std::uint64_t>(lid.weight));
  }
  const auto step = static_cast<double>(hosts * weights);
  return step == 0 ? load : std::ceil(load / step) * step;
}

}  // namespace espalier
