// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/layers/tree_search.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <queue>
#include <tuple>

#include "core/engines/layers/orientation.h"

namespace espalier {
namespace {

constexpr std::uint32_t kFar = 0xFFFFFFFF;
// What it costs an offset to use a channel that a lower one uses, in hops.
constexpr double kShared = 0.6;
// Above all loads to the fourth power that there can be.
constexpr double kForbidden = 1e60;

}  // namespace

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

// What it costs to send `weight` more from s on, along the tree.
double TreeSearch::price_from(std::size_t i, SwitchId s, double weight) const {
  double price = 0;
  for (ChannelId c = next(i, s); c != kNoChannel; c = next(i, end(c))) price += more(c, weight);
  return price;
}

void TreeSearch::start(std::size_t i, LaneMask lanes) {
  std::fill(hops_.begin(), hops_.end(), kFar);
  mask_.assign(graph_->num_switches(), lanes);
  hops_[index(graph_->lids()[i].at)] = 0;
}

// The cheapest channel of s among those that lead one hop nearer, all of which are done; s sends over it from now on.
bool TreeSearch::choose_nearer(std::size_t i, SwitchId s, const LaneSets* lanes, Without without) {
  const RoutedLid& lid = graph_->lids()[i];
  double sent = graph_->hosts(s) * lid.weight;
  for (const auto& [from, weight] : lid.known) sent += from == s ? weight : 0;
  double least = std::numeric_limits<double>::infinity();
  ChannelId best = kNoChannel;
  for (const Hop& hop : graph_->out(s)) {
    if (hops_[index(hop.far)] + 1 != hops_[index(s)]) continue;
    const ChannelId onward = next(i, hop.far);
    LaneMask mask = mask_[index(hop.far)];
    if (lanes != nullptr && onward != kNoChannel) mask &= lanes->allowed(hop.channel, onward);
    if (mask == 0 && without == Without::kNot) continue;
    const double weight = std::max(sent, unit_);
    const double price = more(hop.channel, weight) + price_from(i, hop.far, weight) + (mask == 0 ? kForbidden : 0);
    if (price >= least) continue;
    least = price;
    mask_[index(s)] = mask;
    best = hop.channel;
  }
  if (best == kNoChannel) return false;
  next(i, s) = best;
  if (sent > 0)
    for (ChannelId c = best; c != kNoChannel; c = next(i, end(c))) load_[index(c)] += sent;
  return true;
}

void TreeSearch::route_shortest(std::size_t i, const LaneSets* lanes) {
  const RoutedLid& lid = graph_->lids()[i];
  if (lid.offset > 0) return route_apart(i);
  add(i, -1);
  start(i, static_cast<LaneMask>(~0U));
  search_breadth_first(i, [&](SwitchId s) { (void)choose_nearer(i, s, lanes, Without::kRatherNot); });
}

void TreeSearch::route_by_ports(std::size_t i) {
  add(i, -1);
  start(i, static_cast<LaneMask>(~0U));
  search_breadth_first(i, [&](SwitchId s) {
    const auto hops = graph_->out(s);
    const auto nearer = [&](const Hop& hop) { return hops_[index(hop.far)] + 1 == hops_[index(s)]; };
    next(i, s) = std::find_if(hops.begin(), hops.end(), nearer)->channel;
  });
  add(i, 1);
}

template <class Choose>
void TreeSearch::search_breadth_first(std::size_t i, Choose choose) {
  queue_.assign(1, graph_->lids()[i].at);
  for (std::size_t head = 0; head < queue_.size(); ++head) {
    const SwitchId s = queue_[head];
    if (head > 0) choose(s);
    for (const Hop& hop : graph_->out(s))
      if (hops_[index(hop.far)] == kFar) {
        hops_[index(hop.far)] = hops_[index(s)] + 1;
        queue_.push_back(hop.far);
      }
  }
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
  route_cheapest(i, [&](ChannelId c) { return more(c, weight); });
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
  const auto row = next_.begin() + static_cast<std::ptrdiff_t>(i * graph_->num_switches());
  const std::vector<ChannelId> before(row, row + static_cast<std::ptrdiff_t>(graph_->num_switches()));
  add(i, -1);
  start(i, static_cast<LaneMask>((1U << lanes.num_lanes()) - 1));
  std::fill_n(row, before.size(), kNoChannel);
  std::vector<SwitchId> layer{at};
  std::size_t reached = 1;
  // Layer by layer; a switch joins as soon as some settled neighbor keeps a lane for it.
  for (std::uint32_t h = 1; !layer.empty(); ++h) {
    std::vector<SwitchId> following;
    for (const SwitchId s : layer)
      for (const Hop& back : graph_->out(s)) {
        if (hops_[index(back.far)] != kFar) continue;
        hops_[index(back.far)] = h;
        if (choose_nearer(i, back.far, &lanes, Without::kNot))
          following.push_back(back.far);
        else
          hops_[index(back.far)] = kFar;
      }
    reached += following.size();
    layer = std::move(following);
  }
  const auto needed = std::count_if(before.begin(), before.end(), [](ChannelId c) { return c != kNoChannel; });
  if (reached == static_cast<std::size_t>(needed) + 1) return true;
  add(i, -1);
  std::copy(before.begin(), before.end(), row);
  add(i, 1);
  return false;
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

void TreeSearch::take(std::size_t i, const ForwardingTables& tables) {
  const RoutedLid& lid = graph_->lids()[i];
  const Fabric& fabric = graph_->fabric();
  add(i, -1);
  for (const SwitchId s : fabric.switches()) {
    const PortNum port = s == lid.at ? kNoPort : tables.at(s, lid.lid);
    next(i, s) = port == kNoPort ? kNoChannel : fabric.channel(s, port);
  }
  add(i, 1);
}

void TreeSearch::take(std::size_t i, const TreeSearch& other) {
  add(i, -1);
  const auto row = other.next_.begin() + static_cast<std::ptrdiff_t>(i * graph_->num_switches());
  std::copy_n(row, graph_->num_switches(), &next_[i * graph_->num_switches()]);
  add(i, 1);
}

void TreeSearch::require_steps(std::size_t i, LaneSets& lanes) const {
  for (const SwitchId s : graph_->fabric().switches()) {
    const ChannelId c = next(i, s);
    if (c == kNoChannel) continue;
    if (const ChannelId onward = next(i, end(c)); onward != kNoChannel) lanes.require(c, onward);
  }
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
