// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Trees whose paths need not be the shortest: apart from those of other LID offsets, and up*/down*.
#include <algorithm>
#include <limits>
#include <queue>
#include <tuple>

#include "core/engines/layers/orientation.h"
#include "core/engines/layers/tree_search.h"

namespace espalier {
namespace {

// What it costs an offset to use a channel that a lower one uses, in hops.
constexpr double kShared = 0.6;

}  // namespace

// A hop costs 1, a channel of lower offsets kShared more for each, and loads decide among equals.
void TreeSearch::route_apart(std::size_t i) {
  const RoutedLid& lid = graph_->lids()[i];
  std::vector<std::uint8_t> used(graph_->fabric().num_channels());  // lower offsets of the port that use it
  for (std::size_t j = 0; j < graph_->lids().size(); ++j) {
    const RoutedLid& other = graph_->lids()[j];
    if (other.at != lid.at || other.last_port != lid.last_port || other.offset >= lid.offset) continue;
    for (const SwitchId s : graph_->fabric().switches())
      if (next(j, s) != kNoChannel) ++used[index(next(j, s))];
  }
  add(i, -1);
  shortest_.reset();
  double fullest = 0;
  for (std::size_t c = 0; c < load_.size(); ++c)
    fullest = std::max(fullest, load_[c] + unit_ * graph_->weight(id_at<ChannelId>(c)));
  const double full = 1e3 * static_cast<double>(graph_->num_switches()) * power(fullest);
  route_cheapest(i, [&](ChannelId c) { return 1 + kShared * used[index(c)] + cost(c) / full; });
  add(i, 1);
}

// By Dijkstra, from the LID's switch against the channels.
template <class Cost>
void TreeSearch::route_cheapest(std::size_t i, Cost cost) {
  const SwitchId at = graph_->lids()[i].at;
  std::fill(cost_.begin(), cost_.end(), std::numeric_limits<double>::infinity());
  using Entry = std::pair<double, SwitchId>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap;
  cost_[index(at)] = 0;
  heap.emplace(0, at);
  while (!heap.empty()) {
    const auto [so_far, s] = heap.top();
    heap.pop();
    if (so_far > cost_[index(s)]) continue;
    for (const Hop& hop : graph_->in(s)) {
      if (hop.far == at) continue;
      const double there = so_far + cost(hop.channel);
      if (there >= cost_[index(hop.far)]) continue;
      cost_[index(hop.far)] = there;
      next(i, hop.far) = hop.channel;
      heap.emplace(there, hop.far);
    }
  }
}

void TreeSearch::route_up_down(std::size_t i, const LinksUp& links) {
  const SwitchId at = graph_->lids()[i].at;
  add(i, -1);
  shortest_.reset();
  std::fill(hops_.begin(), hops_.end(), kFar);
  for (const SwitchId s : graph_->fabric().switches()) next(i, s) = kNoChannel;
  hops_[index(at)] = 0;
  cost_[index(at)] = 0;
  // Down: against the channels that come from above, breadth first.
  std::vector<SwitchId>& queue = order_;
  queue.assign(1, at);
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const SwitchId s = queue[head];
    const std::uint32_t there = hops_[index(s)] + 1;
    for (const LinksUp::Link& link : links.of(s)) {
      std::uint32_t& hops = hops_[index(link.above)];
      if (hops < there) continue;
      const double onward = cost(link.down) + cost_[index(s)];
      if (hops == there && onward >= cost_[index(link.above)]) continue;
      if (hops == kFar) queue.push_back(link.above);
      hops = there;
      cost_[index(link.above)] = onward;
      next(i, link.above) = link.down;
    }
  }
  // Up: what is above is done before.
  for (const SwitchId s : links.descending()) {
    if (hops_[index(s)] != kFar) continue;
    for (const LinksUp::Link& link : links.of(s)) {
      if (hops_[index(link.above)] == kFar) continue;
      const std::pair there(hops_[index(link.above)] + 1, cost(link.up) + cost_[index(link.above)]);
      if (hops_[index(s)] != kFar && there >= std::pair(hops_[index(s)], cost_[index(s)])) continue;
      std::tie(hops_[index(s)], cost_[index(s)]) = there;
      next(i, s) = link.up;
    }
  }
  add(i, 1);
}

}  // namespace espalier
