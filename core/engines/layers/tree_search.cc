// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/layers/tree_search.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace espalier {
TreeSearch::TreeSearch(const SwitchGraph& graph)
    : graph_(&graph),
      next_(graph.lids().size() * graph.num_switches(), kNoChannel),
      load_(graph.fabric().num_channels()),
      step_(graph.num_switches()),
      flows_(graph.num_switches()),
      hops_(graph.num_switches()),
      cost_(graph.num_switches()),
      mask_(graph.num_switches()),
      hot_(graph.num_switches()),
      found_(graph.num_switches(), kNoChannel) {
  if (!graph.taken().empty()) load_ = graph.taken();
  whole_ = graph.taken().empty();
  for (const RoutedLid& lid : graph.lids()) {
    if (lid.weight > 0) unit_ = lid.weight;
    whole_ = whole_ && lid.known.empty() && lid.weight == std::floor(lid.weight);
  }
}

double TreeSearch::max_load() const { return load_.empty() ? 0 : *std::max_element(load_.begin(), load_.end()); }

double TreeSearch::total_load() const {
  const std::vector<double>& taken = graph_->taken();
  return std::accumulate(load_.begin(), load_.end(), -std::accumulate(taken.begin(), taken.end(), 0.0));
}

void TreeSearch::all_are_shortest(std::shared_ptr<HopsToAll> hops) {
  for (const SwitchId s : graph_->fabric().switches()) (void)hops->to(s);
  shortest_ = std::move(hops);
}

// From each switch along the tree to where it is known, and back.
void TreeSearch::inward(std::size_t i, std::vector<SwitchId>& order) const {
  if (shortest_ != nullptr) {
    order = shortest_->to(graph_->lids()[i].at).order();
    return;
  }
  const ChannelId* row = &next_[i * graph_->num_switches()];
  std::vector<std::uint8_t> known(graph_->num_switches());
  order.assign(1, graph_->lids()[i].at);
  known[index(order.front())] = 1;
  for (const SwitchId s : graph_->fabric().switches()) {
    const auto begin = static_cast<std::ptrdiff_t>(order.size());
    SwitchId at = s;
    for (; known[index(at)] == 0 && row[index(at)] != kNoChannel; at = end(row[index(at)])) order.push_back(at);
    if (known[index(at)] == 0) order.resize(static_cast<std::size_t>(begin));  // it leads nowhere
    std::reverse(order.begin() + begin, order.end());
    for (auto joined = order.begin() + begin; joined != order.end(); ++joined) known[index(*joined)] = 1;
  }
}

// What each switch's own hosts send to lids()[i].
void TreeSearch::gather_own_flows(std::size_t i) {
  const RoutedLid& lid = graph_->lids()[i];
  for (const SwitchId s : graph_->fabric().switches()) flows_[index(s)] = graph_->hosts(s) * lid.weight;
  for (const auto& [from, weight] : lid.known) flows_[index(from)] += weight;
}

void TreeSearch::add(std::size_t i, int sign) {
  if (graph_->lids()[i].weight == 0) return;
  inward(i, order_);
  gather_own_flows(i);
  for (std::size_t place = order_.size() - 1; place > 0; --place) {
    const SwitchId s = order_[place];
    const ChannelId c = next(i, s);
    // Sums in another order differ in their last digits; no load is below none.
    load_[index(c)] = std::max(0.0, load_[index(c)] + sign * flows_[index(s)] * graph_->weight(c));
    flows_[index(end(c))] += flows_[index(s)];
  }
}

double TreeSearch::price_from(std::size_t i, SwitchId s, double weight) const {
  const ChannelId* row = &next_[i * graph_->num_switches()];
  double price = 0;
  for (ChannelId c = row[index(s)]; c != kNoChannel; c = row[index(end(c))]) price += more(c, weight);
  return price;
}

void TreeSearch::load_path(std::size_t i, SwitchId s, double weight) {
  const ChannelId* row = &next_[i * graph_->num_switches()];
  for (ChannelId c = row[index(s)]; c != kNoChannel; c = row[index(end(c))])
    load_[index(c)] = std::max(0.0, load_[index(c)] + weight * graph_->weight(c));
}

void TreeSearch::open(std::size_t i, std::span<const SwitchId> order) {
  const ChannelId* row = &next_[i * graph_->num_switches()];
  for (const SwitchId s : order.subspan(1)) {
    const ChannelId c = row[index(s)];
    step_[index(s)].up = end(c);
    step_[index(s)].weight = graph_->weight(c);
    step_[index(s)].carry(load_[index(c)]);
  }
}

void TreeSearch::close(std::size_t i, std::span<const SwitchId> order) {
  const ChannelId* row = &next_[i * graph_->num_switches()];
  for (const SwitchId s : order.subspan(1)) load_[index(row[index(s)])] = step_[index(s)].load;
}

// Of those that lead one hop nearer, on the tree that is open.
Hop TreeSearch::cheapest(std::span<const Hop> hops, double weight) const {
  const Hop* best = &hops.front();
  for (const Hop& hop : hops.subspan(1))
    if (is_cheaper(hop, *best, weight)) best = &hop;
  return *best;
}

bool TreeSearch::is_cheaper(const Hop& hop, const Hop& than, double weight) const {
  if (!whole_) {
    double here = more(than.channel, weight), there = more(hop.channel, weight);
    until_they_meet(than.far, hop.far, [&](const Step& a, const Step& b) {
      here += a.more(weight);
      there += b.more(weight);
    });
    return there < here;
  }
  Step here, there;
  here.carry(load_[index(than.channel)]);
  there.carry(load_[index(hop.channel)]);
  double first = there.load - here.load, second = there.squared - here.squared, third = there.cubed - here.cubed;
  until_they_meet(than.far, hop.far, [&](const Step& a, const Step& b) {
    first += b.load - a.load;
    second += b.squared - a.squared;
    third += b.cubed - a.cubed;
  });
  // (load + weight)^4 - load^4, but for what all channels have alike, and for the factor `weight`.
  return 4 * third + weight * (6 * second + weight * 4 * first) < 0;
}

void TreeSearch::grow(std::size_t i, const ShortestHops& hops) {
  gather_own_flows(i);
  const SwitchId at = hops.order().front();
  for (std::size_t place = 1; place < hops.order().size(); ++place) {
    const SwitchId s = hops.order()[place];
    const double sent = flows_[index(s)];
    const Hop best = cheapest(hops.nearer(place), std::max(sent, unit_));
    next(i, s) = best.channel;
    step_[index(s)].up = best.far;
    step_[index(s)].weight = graph_->weight(best.channel);
    step_[index(s)].carry(load_[index(best.channel)]);
    if (sent == 0) continue;
    for (SwitchId b = s; b != at; b = step_[index(b)].up) step_[index(b)].carry_more(sent);
  }
  close(i, hops.order());
}

void TreeSearch::grow_by_ports(std::size_t i, const ShortestHops& hops) {
  gather_own_flows(i);
  for (std::size_t place = hops.order().size() - 1; place > 0; --place) {
    const Hop& hop = hops.nearer(place).front();
    const SwitchId s = hops.order()[place];
    next(i, s) = hop.channel;
    load_[index(hop.channel)] += flows_[index(s)] * graph_->weight(hop.channel);
    flows_[index(hop.far)] += flows_[index(s)];
  }
}

template <class Turn>
void TreeSearch::turn_where_hot(std::size_t i, std::span<const SwitchId> order, double hot, Turn turn) {
  open(i, order);
  gather_own_flows(i);
  for (std::size_t place = order.size() - 1; place > 0; --place)
    flows_[index(step_[index(order[place])].up)] += flows_[index(order[place])];
  hot_[index(order.front())] = 0;
  for (std::size_t place = 1; place < order.size(); ++place) {
    const SwitchId s = order[place];
    const auto is_hot = [&] { return step_[index(s)].load >= hot || hot_[index(step_[index(s)].up)] != 0; };
    bool now = is_hot();
    if (now && flows_[index(s)] > 0 && turn(place)) now = is_hot();
    hot_[index(s)] = now ? 1 : 0;
  }
  close(i, order);
}

void TreeSearch::improve(std::size_t i, const ShortestHops& hops, double hot) {
  turn_where_hot(i, hops.order(), hot, [&](std::size_t place) {
    const auto nearer = hops.nearer(place);
    const auto any = [](const Hop&) { return true; };
    return nearer.size() > 1 && turn(i, hops.order()[place], nearer, any, any);
  });
}

// Fills hops_, and order_ by these.
void TreeSearch::sort_by_hops(std::size_t i) {
  inward(i, order_);
  std::fill(hops_.begin(), hops_.end(), kFar);
  hops_[index(order_.front())] = 0;
  first_.assign(order_.size() + 1, 0);  // per number of hops
  for (const SwitchId s : std::span(order_).subspan(1)) {
    hops_[index(s)] = hops_[index(end(next(i, s)))] + 1;
    ++first_[hops_[index(s)] + 1];
  }
  ++first_[1];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  by_hops_.resize(order_.size());
  for (const SwitchId s : order_) by_hops_[first_[hops_[index(s)]]++] = s;
  order_.swap(by_hops_);
}

void TreeSearch::improve_on_lanes(std::size_t i, const LaneSets& lanes, double hot) {
  const ShortestHops* hops = shortest_ == nullptr ? nullptr : &shortest_->to(graph_->lids()[i].at);
  // By hops, which stay the same: so each comes after the one that it sends to, also when it has turned.
  if (hops == nullptr) sort_by_hops(i);
  const std::vector<SwitchId>& order = hops == nullptr ? order_ : hops->order();
  lanes_of(i, order, lanes, mask_);
  turn_where_hot(i, order, hot, [&](std::size_t place) {
    const SwitchId s = order[place];
    const auto nearer = [&](const Hop& hop) {
      return (hops != nullptr || hops_[index(hop.far)] + 1 == hops_[index(s)]) && lanes_by(i, hop, lanes) != 0;
    };
    const auto allowed = [&](const Hop& hop) {
      if (!keeps_lanes(i, s, hop, lanes)) return false;
      turned_.swap(trial_);  // the last that is allowed is taken
      return true;
    };
    if (!turn(i, s, hops == nullptr ? graph_->out(s) : hops->nearer(place), nearer, allowed)) return false;
    for (const auto& [behind, mask] : turned_) mask_[index(behind)] = mask;
    return true;
  });
}

// By sending `weight` over `hop` rather than `before`, on the tree that is open, up to where both paths meet; where all is
// whole, divided by `weight`.
double TreeSearch::saved(const Step& step, const Hop& before, const Hop& hop, double weight) const {
  if (!whole_) {
    double now = step.last(weight), then = more(hop.channel, weight);
    until_they_meet(before.far, hop.far, [&](const Step& a, const Step& b) {
      now += a.last(weight);
      then += b.more(weight);
    });
    return now - then;
  }
  Step other;
  other.carry(load_[index(hop.channel)]);
  double channels = 2, first = step.load - other.load, second = step.squared + other.squared,
         third = step.cubed - other.cubed;
  until_they_meet(before.far, hop.far, [&](const Step& a, const Step& b) {
    channels += 2;
    first += a.load - b.load;
    second += a.squared + b.squared;
    third += a.cubed - b.cubed;
  });
  // load^4 - (load - weight)^4 here, (load + weight)^4 - load^4 there.
  return 4 * third - weight * (6 * second - weight * (4 * first - weight * channels));
}

// With all that flows through s, to the cheapest of the hops that lead nearer and are allowed, which takes longer to say.
// False where it is on that.
template <class Nearer, class Allowed>
bool TreeSearch::turn(std::size_t i, SwitchId s, std::span<const Hop> hops, Nearer nearer, Allowed allowed) {
  const double weight = flows_[index(s)];
  Step& step = step_[index(s)];
  const Hop before{next(i, s), step.up};
  double most_saved = 0;
  Hop best = before;
  for (const Hop& hop : hops) {
    if (hop.channel == before.channel || !nearer(hop)) continue;
    const double less = saved(step, before, hop, weight);
    if (less <= most_saved || !allowed(hop)) continue;
    most_saved = less;
    best = hop;
  }
  if (best.channel == before.channel) return false;
  send_over(i, s, best);
  return true;
}

// All that flows through s, on the tree that is open.
void TreeSearch::send_over(std::size_t i, SwitchId s, const Hop& hop) {
  const double weight = flows_[index(s)];
  Step& step = step_[index(s)];
  const Hop before{next(i, s), step.up};
  next(i, s) = hop.channel;
  step.carry_more(-weight);
  load_[index(before.channel)] = step.load;
  step.up = hop.far;
  step.weight = graph_->weight(hop.channel);
  step.carry(load_[index(hop.channel)] + weight * step.weight);
  for (SwitchId a = before.far, b = hop.far; a != b; a = step_[index(a)].up, b = step_[index(b)].up) {
    step_[index(a)].carry_more(-weight);
    step_[index(b)].carry_more(weight);
    flows_[index(a)] -= weight;
    flows_[index(b)] += weight;
  }
}

// On the open tree: the load of the fullest of those channels that all from s would come to by `hop`.
double TreeSearch::fullest_by(SwitchId s, const Hop& hop) const {
  const double weight = flows_[index(s)];
  double most = load_[index(hop.channel)] + weight * graph_->weight(hop.channel);
  until_they_meet(step_[index(s)].up, hop.far,
                  [&](const Step&, const Step& b) { most = std::max(most, b.load + weight * b.weight); });
  return most;
}

void TreeSearch::turn_back(std::size_t i, const ShortestHops& hops, double limit) {
  const auto is_back = [&](std::size_t place) {
    const ChannelId now = next(i, hops.order()[place]);
    const auto nearer = hops.nearer(place);
    return std::any_of(nearer.begin(), nearer.end(), [&](const Hop& hop) { return hop.channel == now; });
  };
  std::size_t first = 1;
  while (first < hops.order().size() && is_back(first)) ++first;
  if (first == hops.order().size()) return;
  turn_where_hot(i, hops.order(), 0, [&](std::size_t place) {
    if (place < first || is_back(place)) return false;
    const SwitchId s = hops.order()[place];
    Hop best{kNoChannel, kNoSwitch};
    double least = limit;
    for (const Hop& hop : hops.nearer(place)) {
      const double fullest = fullest_by(s, hop);
      if (fullest > least) continue;
      least = fullest;
      best = hop;
    }
    if (best.channel == kNoChannel) return false;
    send_over(i, s, best);
    return true;
  });
}

void TreeSearch::start(std::size_t i, LaneMask lanes) {
  add(i, -1);
  gather_own_flows(i);
  std::fill(hops_.begin(), hops_.end(), kFar);
  std::fill(mask_.begin(), mask_.end(), lanes);
  hops_[index(graph_->lids()[i].at)] = 0;
}

void TreeSearch::take(std::size_t i, const ForwardingTables& tables) {
  const RoutedLid& lid = graph_->lids()[i];
  const Fabric& fabric = graph_->fabric();
  add(i, -1);
  shortest_.reset();
  for (const SwitchId s : fabric.switches()) {
    const PortNum port = s == lid.at ? kNoPort : tables.at(s, lid.lid);
    next(i, s) = port == kNoPort ? kNoChannel : fabric.channel(s, port);
  }
  add(i, 1);
}

void TreeSearch::take(std::size_t i, const TreeSearch& other) { take(i, other, i); }

void TreeSearch::take(std::size_t i, const TreeSearch& other, std::size_t other_i) {
  add(i, -1);
  shortest_.reset();
  const auto row = other.next_.begin() + static_cast<std::ptrdiff_t>(other_i * graph_->num_switches());
  std::copy_n(row, graph_->num_switches(), &next_[i * graph_->num_switches()]);
  add(i, 1);
}

TreeSearch TreeSearch::on(const SwitchGraph& graph) const {
  IdVector<Lid, std::uint32_t> tree_of(index(graph.fabric().top_lid()) + std::size_t{1});
  for (std::uint32_t i = 0; i < graph_->lids().size(); ++i) {
    const RoutedLid& lid = graph_->lids()[i];
    tree_of[lid.lid] = i;
    for (const auto& [other, port] : lid.sharing) tree_of[other] = i;
  }
  TreeSearch trees(graph);
  for (std::size_t i = 0; i < graph.lids().size(); ++i) trees.take(i, *this, tree_of[graph.lids()[i].lid]);
  return trees;
}

}  // namespace espalier
