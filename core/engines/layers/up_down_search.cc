// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/layers/up_down_search.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "core/engines/layers/layered_trees.h"

namespace espalier {
namespace {

constexpr std::uint32_t kNoPath = (std::uint32_t{1} << 24) - 1;  // more hops than any path has: there is none
constexpr std::uint32_t kNoLink = UINT32_MAX;

float fourth_power(double load) {
  const double squared = load * load;
  return static_cast<float>(squared * squared);
}

// Ascends with the hops, then with the cost, then with the number. REQUIRES: cost is not negative.
std::uint64_t price(std::uint32_t hops, float cost, std::uint32_t number) {
  return std::uint64_t{hops} << 40U | std::uint64_t{std::bit_cast<std::uint32_t>(cost)} << 8U | number;
}

}  // namespace

UpDownSearch::UpDownSearch(const SwitchGraph& graph, const Orientation& orientation)
    : graph_(graph),
      ports_(graph.lids().size() * graph.num_switches(), kNoPort),
      place_(graph.num_switches()),
      hosts_(graph.num_switches()),
      hops_(graph.num_switches()),
      cost_(graph.num_switches()),
      link_(graph.num_switches()),
      goes_down_(graph.num_switches()),
      flow_(graph.num_switches()) {
  for (const RoutedLid& lid : graph.lids())
    if (lid.weight > 0) unit_ = lid.weight;
  lay_out(orientation);
  for (const std::uint32_t i : shuffled(graph.lids().size(), 0)) route(i);
}

void UpDownSearch::lay_out(const Orientation& orientation) {
  for (const SwitchId s : orientation.descending) {
    place_[index(s)] = orientation.place[s];
    hosts_[orientation.place[s]] = graph_.hosts(s);
  }
  const Fabric& fabric = graph_.fabric();
  for (const SwitchId s : orientation.descending) {
    first_.push_back(static_cast<std::uint32_t>(links_.size()));
    const std::span<const Hop> out = graph_.out(s), in = graph_.in(s);
    for (std::size_t k = 0; k < out.size(); ++k)
      if (const Place above = orientation.place[out[k].far]; above < orientation.place[s]) {
        links_.push_back({orientation.place[s], above, fabric.port(out[k].channel), fabric.port(in[k].channel)});
        above_.push_back(above);
      }
  }
  first_.push_back(static_cast<std::uint32_t>(links_.size()));
  up_ = down_ = {std::vector<double>(links_.size(), 0), std::vector<float>(links_.size(), fourth_power(unit_))};
}

double UpDownSearch::max_load() const {
  double most = 0;
  for (const Channels* channels : {&up_, &down_})
    for (const double load : channels->load) most = std::max(most, load);
  return most;
}

double UpDownSearch::total_load() const {
  return std::accumulate(up_.load.begin(), up_.load.end(), std::accumulate(down_.load.begin(), down_.load.end(), 0.0));
}

void UpDownSearch::route(std::size_t i) {
  const RoutedLid& lid = graph_.lids()[i];
  std::fill(hops_.begin(), hops_.end(), kNoPath);
  std::fill(link_.begin(), link_.end(), kNoLink);
  std::fill(goes_down_.begin(), goes_down_.end(), std::uint8_t{0});
  go_down(place_[index(lid.at)]);
  go_up();
  if (lid.weight > 0) add_loads(lid.weight);
  PortNum* const ports = &ports_[i * graph_.num_switches()];
  for (const SwitchId s : graph_.fabric().switches()) {
    const Place p = place_[index(s)];
    if (link_[p] == kNoLink) continue;
    ports[index(s)] = goes_down_[p] != 0 ? links_[link_[p]].down : links_[link_[p]].up;
  }
}

// From where there is a path down: against the channels that come from above, breadth first.
void UpDownSearch::go_down(Place t) {
  hops_[t] = 0;
  cost_[t] = 0;
  down_order_.assign(1, t);
  for (std::size_t head = 0; head < down_order_.size(); ++head) {
    const Place below = down_order_[head];
    const std::uint32_t there = hops_[below] + 1;
    for (std::uint32_t k = first_[below]; k < first_[below + 1]; ++k) {
      const Place above = above_[k];
      if (hops_[above] < there) continue;
      const float onward = down_.cost[k] + cost_[below];
      if (hops_[above] == there && onward >= cost_[above]) continue;
      if (hops_[above] == kNoPath) down_order_.push_back(above);
      hops_[above] = there;
      cost_[above] = onward;
      link_[above] = k;
    }
  }
  for (const Place p : down_order_) goes_down_[p] = 1;
}

// All others: what is above has its path before.
void UpDownSearch::go_up() {
  for (Place p = 0; p < hops_.size(); ++p) {
    if (hops_[p] != kNoPath) continue;
    const std::uint32_t first = first_[p];
    std::uint64_t best = price(kNoPath, 0, 0);
    for (std::uint32_t k = first; k < first_[p + 1]; ++k)
      best = std::min(best, price(hops_[above_[k]], up_.cost[k] + cost_[above_[k]], k - first));
    if (best >= price(kNoPath, 0, 0)) continue;
    link_[p] = first + static_cast<std::uint32_t>(best & 0xFFU);
    hops_[p] = static_cast<std::uint32_t>(best >> 40U) + 1;
    cost_[p] = std::bit_cast<float>(static_cast<std::uint32_t>(best >> 8U));
  }
}

void UpDownSearch::add_loads(double weight) {
  for (Place p = 0; p < flow_.size(); ++p) flow_[p] = hosts_[p] * weight;
  for (Place p = static_cast<Place>(flow_.size()); p-- > 0;) {
    if (goes_down_[p] != 0 || link_[p] == kNoLink) continue;
    carry(up_, link_[p], flow_[p]);
    flow_[links_[link_[p]].above] += flow_[p];
  }
  for (std::size_t i = down_order_.size(); i-- > 1;) {
    const Place p = down_order_[i];
    carry(down_, link_[p], flow_[p]);
    flow_[links_[link_[p]].below] += flow_[p];
  }
}

void UpDownSearch::carry(Channels& channels, std::uint32_t link, double flow) const {
  channels.load[link] += flow;
  channels.cost[link] = fourth_power(channels.load[link] + unit_);
}

}  // namespace espalier
