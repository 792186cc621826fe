// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/layers/tree_search.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <queue>
#include <tuple>

namespace espalier {
namespace {

constexpr std::uint32_t kFar = 0xFFFFFFFF;
// What it costs an offset to use a channel that a lower one uses, in hops.
constexpr double kShared = 0.6;
// Above all loads to the fourth power that there can be.
constexpr double kForbidden = 1e60;

}  // namespace

Orientation orient(const SwitchGraph& graph, SwitchId root) {
  Orientation orientation{{}, IdVector<SwitchId, std::uint32_t>(graph.num_switches(), kFar)};
  auto& order = orientation.descending;
  const auto grow_from = [&](SwitchId first) {
    orientation.place[first] = static_cast<std::uint32_t>(order.size());
    order.push_back(first);
    for (std::size_t head = order.size() - 1; head < order.size(); ++head)
      for (const Hop& hop : graph.out(order[head])) {
        if (orientation.place[hop.far] != kFar) continue;
        orientation.place[hop.far] = static_cast<std::uint32_t>(order.size());
        order.push_back(hop.far);
      }
  };
  grow_from(root);
  for (const SwitchId s : graph.fabric().switches())
    if (orientation.place[s] == kFar) grow_from(s);
  return orientation;
}

std::vector<std::uint32_t> numbers_of(const SwitchGraph& graph, const Orientation& orientation) {
  std::vector<std::uint32_t> numbers(graph.fabric().num_channels());
  std::vector<std::uint8_t> numbered(numbers.size());
  std::uint32_t next = 0;
  const auto number = [&](ChannelId c) {
    numbers[index(c)] = next++;
    numbered[index(c)] = 1;
  };
  const auto& order = orientation.descending;
  for (auto s = order.rbegin(); s != order.rend(); ++s)
    for (const Hop& hop : graph.out(*s))
      if (orientation.place[hop.far] < orientation.place[*s]) number(hop.channel);
  for (const SwitchId s : order)
    for (const Hop& hop : graph.out(s))
      if (orientation.place[hop.far] > orientation.place[s]) number(hop.channel);
  for (const ChannelId c : IdRange<ChannelId>(numbers.size()))
    if (numbered[index(c)] == 0) number(c);
  return numbers;
}

TreeSearch::TreeSearch(const SwitchGraph& graph)
    : graph_(&graph),
      next_(graph.lids().size() * graph.num_switches(), kNoChannel),
      load_(graph.fabric().num_channels()),
      used_(graph.fabric().num_channels()),
      hops_(graph.num_switches()),
      cost_(graph.num_switches()) {
  for (const RoutedLid& lid : graph.lids())
    if (lid.weight > 0) unit_ = lid.weight;
}

double TreeSearch::max_load() const { return load_.empty() ? 0 : *std::max_element(load_.begin(), load_.end()); }

double TreeSearch::total_load() const { return std::accumulate(load_.begin(), load_.end(), 0.0); }

std::vector<SwitchId> TreeSearch::inward(std::size_t i) const {
  std::vector<std::uint32_t> hops(graph_->num_switches(), kFar);
  std::vector<SwitchId> path;
  std::vector<SwitchId> reached;
  hops[index(graph_->lids()[i].at)] = 0;
  for (const SwitchId s : graph_->fabric().switches()) {
    path.clear();
    SwitchId at = s;
    for (; hops[index(at)] == kFar && next(i, at) != kNoChannel; at = end(next(i, at))) path.push_back(at);
    if (hops[index(at)] == kFar) continue;
    for (std::uint32_t h = hops[index(at)]; !path.empty(); path.pop_back()) hops[index(path.back())] = ++h;
  }
  for (const SwitchId s : graph_->fabric().switches())
    if (hops[index(s)] != kFar) reached.push_back(s);
  std::stable_sort(reached.begin(), reached.end(), [&](auto a, auto b) { return hops[index(a)] < hops[index(b)]; });
  return reached;
}

void TreeSearch::add(std::size_t i, int sign) {
  const RoutedLid& lid = graph_->lids()[i];
  if (lid.weight == 0) return;
  const std::vector<SwitchId> order = inward(i);
  std::vector<double> flows(graph_->num_switches());
  for (const auto& [from, weight] : lid.known) flows[index(from)] += weight;
  for (auto s = order.rbegin(); s != order.rend(); ++s) {
    const ChannelId c = next(i, *s);
    if (c == kNoChannel) continue;
    flows[index(*s)] += graph_->hosts(*s) * lid.weight;
    // Sums in another order differ in their last digits; no load is below none.
    load_[index(c)] = std::max(0.0, load_[index(c)] + sign * flows[index(*s)]);
    flows[index(end(c))] += flows[index(*s)];
  }
}

// The cheapest channel of s among those that lead one hop nearer, all of which are done.
void TreeSearch::choose_nearer(std::size_t i, SwitchId s, const LaneSets* lanes) {
  double least = std::numeric_limits<double>::infinity();
  for (const Hop& hop : graph_->out(s)) {
    if (hops_[index(hop.far)] + 1 != hops_[index(s)]) continue;
    const ChannelId onward = next(i, hop.far);
    LaneMask mask = mask_[index(hop.far)];
    if (lanes != nullptr && onward != kNoChannel) mask &= lanes->allowed(hop.channel, onward);
    const double there = cost(hop.channel) + cost_[index(hop.far)] + (mask == 0 ? kForbidden : 0);
    if (there >= least) continue;
    least = there;
    cost_[index(s)] = there;
    mask_[index(s)] = mask;
    next(i, s) = hop.channel;
  }
}

void TreeSearch::route_shortest(std::size_t i, const LaneSets* lanes) {
  const RoutedLid& lid = graph_->lids()[i];
  if (lid.offset > 0) return route_apart(i);
  add(i, -1);
  std::fill(hops_.begin(), hops_.end(), kFar);
  mask_.assign(graph_->num_switches(), static_cast<LaneMask>(~0U));
  queue_.assign(1, lid.at);
  hops_[index(lid.at)] = 0;
  cost_[index(lid.at)] = 0;
  for (std::size_t head = 0; head < queue_.size(); ++head) {
    const SwitchId s = queue_[head];
    // Breadth first: all nearer switches are done.
    if (s != lid.at) choose_nearer(i, s, lanes);
    for (const Hop& hop : graph_->out(s))
      if (hops_[index(hop.far)] == kFar) {
        hops_[index(hop.far)] = hops_[index(s)] + 1;
        queue_.push_back(hop.far);
      }
  }
  add(i, 1);
}

// A hop costs 1, a channel of lower offsets kShared more for each, and loads decide among equals.
void TreeSearch::route_apart(std::size_t i) {
  const RoutedLid& lid = graph_->lids()[i];
  std::fill(used_.begin(), used_.end(), 0);
  for (std::size_t j = 0; j < graph_->lids().size(); ++j) {
    const RoutedLid& other = graph_->lids()[j];
    if (other.at != lid.at || other.last_port != lid.last_port || other.offset >= lid.offset) continue;
    for (const SwitchId s : graph_->fabric().switches())
      if (next(j, s) != kNoChannel) ++used_[index(next(j, s))];
  }
  add(i, -1);
  const double full = 1e3 * static_cast<double>(graph_->num_switches()) * power(max_load() + unit_);
  route_cheapest(i, [&](ChannelId c) { return 1 + kShared * used_[index(c)] + cost(c) / full; });
  add(i, 1);
}

void TreeSearch::route_around(std::size_t i) {
  double weight = unit_;
  for (const auto& [from, known] : graph_->lids()[i].known) weight = std::max(weight, known);
  add(i, -1);
  route_cheapest(i, [&](ChannelId c) { return power(load_[index(c)] + weight) - power(load_[index(c)]); });
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

bool TreeSearch::route_on_lanes(std::size_t i, const LaneSets& lanes) {
  const SwitchId at = graph_->lids()[i].at;
  add(i, -1);
  std::vector<ChannelId> chosen(graph_->num_switches(), kNoChannel);
  std::vector<LaneMask> mask(graph_->num_switches());
  std::fill(hops_.begin(), hops_.end(), kFar);
  hops_[index(at)] = 0;
  cost_[index(at)] = 0;
  mask[index(at)] = static_cast<LaneMask>((1U << lanes.num_lanes()) - 1);
  std::vector<SwitchId> layer{at};
  const auto kept = [&](const Hop& hop) {
    return hop.far == at
               ? mask[index(at)]
               : static_cast<LaneMask>(mask[index(hop.far)] & lanes.allowed(hop.channel, chosen[index(hop.far)]));
  };
  // Layer by layer; a switch joins as soon as some settled neighbor keeps a lane for it.
  for (std::uint32_t h = 1; !layer.empty(); ++h) {
    std::vector<SwitchId> following;
    for (const SwitchId s : layer)
      for (const Hop& back : graph_->out(s)) {
        const SwitchId u = back.far;
        if (hops_[index(u)] != kFar) continue;
        double least = std::numeric_limits<double>::infinity();
        for (const Hop& hop : graph_->out(u)) {
          if (hops_[index(hop.far)] != h - 1 || kept(hop) == 0) continue;
          const double onward = cost(hop.channel) + cost_[index(hop.far)];
          if (onward >= least) continue;
          least = onward;
          chosen[index(u)] = hop.channel;
          mask[index(u)] = kept(hop);
        }
        if (least == std::numeric_limits<double>::infinity()) continue;
        cost_[index(u)] = least;
        hops_[index(u)] = h;
        following.push_back(u);
      }
    layer = std::move(following);
  }
  bool whole = true;
  for (const SwitchId s : graph_->fabric().switches())
    if (hops_[index(s)] == kFar && next(i, s) != kNoChannel) whole = false;
  if (whole)
    for (const SwitchId s : graph_->fabric().switches()) next(i, s) = chosen[index(s)];
  add(i, 1);
  return whole;
}

void TreeSearch::route_up_down(std::size_t i, const Orientation& orientation) {
  const SwitchId at = graph_->lids()[i].at;
  add(i, -1);
  std::fill(hops_.begin(), hops_.end(), kFar);
  for (const SwitchId s : graph_->fabric().switches()) next(i, s) = kNoChannel;
  hops_[index(at)] = 0;
  cost_[index(at)] = 0;
  // Down: against the channels that come from above, breadth first.
  std::vector<SwitchId> queue{at};
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const SwitchId s = queue[head];
    for (const Hop& from : graph_->in(s)) {
      if (orientation.place[from.far] > orientation.place[s]) continue;
      const double onward = cost(from.channel) + cost_[index(s)];
      const bool is_new = hops_[index(from.far)] == kFar;
      if (!is_new && (hops_[index(from.far)] != hops_[index(s)] + 1 || onward >= cost_[index(from.far)])) continue;
      if (is_new) queue.push_back(from.far);
      hops_[index(from.far)] = hops_[index(s)] + 1;
      cost_[index(from.far)] = onward;
      next(i, from.far) = from.channel;
    }
  }
  // Up: what is above is done before.
  for (const SwitchId s : orientation.descending) {
    if (hops_[index(s)] != kFar) continue;
    for (const Hop& hop : graph_->out(s)) {
      if (orientation.place[hop.far] > orientation.place[s] || hops_[index(hop.far)] == kFar) continue;
      const std::pair there(hops_[index(hop.far)] + 1, cost(hop.channel) + cost_[index(hop.far)]);
      if (hops_[index(s)] != kFar && there >= std::pair(hops_[index(s)], cost_[index(s)])) continue;
      std::tie(hops_[index(s)], cost_[index(s)]) = there;
      next(i, s) = hop.channel;
    }
  }
  add(i, 1);
}

void TreeSearch::lanes_of(std::size_t i, const LaneSets& lanes, std::vector<LaneMask>& mask) const {
  const auto all = static_cast<LaneMask>((1U << lanes.num_lanes()) - 1);
  mask.assign(graph_->num_switches(), all);
  for (const SwitchId s : inward(i)) {
    const ChannelId c = next(i, s);
    if (c == kNoChannel) continue;
    const ChannelId onward = next(i, end(c));
    mask[index(s)] = onward == kNoChannel ? all : mask[index(end(c))] & lanes.allowed(c, onward);
  }
}

void TreeSearch::want_lanes(std::size_t i, const std::vector<LaneMask>& mask, LaneSets& lanes) const {
  const std::vector<SwitchId> order = inward(i);
  std::vector<std::uint32_t> routes(graph_->num_switches());
  for (auto s = order.rbegin(); s != order.rend(); ++s) {
    const ChannelId c = next(i, *s);
    if (c == kNoChannel) continue;
    routes[index(*s)] += mask[index(*s)] == 0 ? 1 : 0;
    const ChannelId onward = next(i, end(c));
    if (onward != kNoChannel && routes[index(*s)] > 0) lanes.want(c, onward, routes[index(*s)]);
    routes[index(end(c))] += routes[index(*s)];
  }
}

}  // namespace espalier
