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
  order_.reserve(graph_->num_switches());
  order_.assign(1, target);
  first_.reserve(graph_->num_switches() + 1);
  first_.assign(1, 0);
  hops_.reserve(graph_->num_channels() / 2);
  hops_.clear();
  // When a switch comes up, all that are nearer have their distances.
  for (std::size_t place = 0; place < order_.size(); ++place) {
    const std::uint32_t here = distance_[index(order_[place])];
    for (const Hop& hop : graph_->out(order_[place])) {
      std::uint32_t& there = distance_[index(hop.far)];
      if (there == kFar) {
        there = here + 1;
        order_.push_back(hop.far);
      } else if (there + 1 == here) {
        hops_.push_back(hop);
      }
    }
    first_.push_back(static_cast<std::uint32_t>(hops_.size()));
  }
}

double least_fullest_load(const SwitchGraph& graph, HopsToAll& hops_to) {
  std::vector<double> load(graph.fabric().num_channels());
  std::vector<double> flows(graph.num_switches());
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
      if (nearer.size() != 1) continue;
      const double sent = flows[index(s)];
      load[index(nearer.front().channel)] += sent;
      flows[index(nearer.front().far)] += sent;
    }
  }
  if (total == 0) return 0;
  const auto channels = static_cast<double>(graph.num_channels());
  return std::max(*std::max_element(load.begin(), load.end()), std::ceil(total / channels));
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
