// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What TreeSearch does with lanes.
#include <algorithm>
#include <functional>
#include <limits>

#include "core/engines/layers/tree_search.h"

namespace espalier {
namespace {

// Above all loads to the fourth power that there can be.
constexpr double kForbidden = 1e60;
constexpr std::uint32_t kKnown = 1000;  // routes that want a lane as much as a known flow does

// Of the tree in a row: the switch of its LID, and all that have a channel.
std::size_t size_of(std::span<const ChannelId> row) {
  return row.size() - static_cast<std::size_t>(std::count(row.begin(), row.end(), kNoChannel)) + 1;
}

}  // namespace

// The cheapest channel of s among those that lead one hop nearer, all of which are done; s sends over it from now on.
bool TreeSearch::choose_nearer(std::size_t i, SwitchId s, const LaneSets& lanes, Without without) {
  const double sent = flows_[index(s)];
  const double weight = std::max(sent, unit_);
  double least = std::numeric_limits<double>::infinity();
  ChannelId best = kNoChannel;
  for (const Hop& hop : graph_->out(s)) {
    if (hops_[index(hop.far)] + 1 != hops_[index(s)]) continue;
    const double first = more(hop.channel, weight);
    if (first >= least) continue;
    const LaneMask mask = lanes_by(i, hop, lanes);
    if (mask == 0 && without == Without::kNot) continue;
    const double price = first + price_from(i, hop.far, weight) + (mask == 0 ? kForbidden : 0);
    if (price >= least) continue;
    least = price;
    mask_[index(s)] = mask;
    best = hop.channel;
  }
  if (best == kNoChannel) return false;
  next(i, s) = best;
  if (sent > 0) load_path(i, s, sent);
  return true;
}

void TreeSearch::route_shortest(std::size_t i, const ShortestHops& hops, const LaneSets& lanes) {
  start(i, static_cast<LaneMask>(~0U));
  for (std::size_t place = 1; place < hops.order().size(); ++place) {
    const SwitchId s = hops.order()[place];
    hops_[index(s)] = hops.distance(s);
    (void)choose_nearer(i, s, lanes, Without::kRatherNot);
  }
}

bool TreeSearch::route_on_lanes(std::size_t i, const LaneSets& lanes) {
  const auto row = std::span(next_).subspan(i * graph_->num_switches(), graph_->num_switches());
  const std::vector<ChannelId> before(row.begin(), row.end());
  start(i, static_cast<LaneMask>((1U << lanes.num_lanes()) - 1));
  shortest_.reset();
  std::fill(row.begin(), row.end(), kNoChannel);
  if (join_others(i, lanes) == size_of(before)) return true;
  put_back(i, before);
  return false;
}

void TreeSearch::put_back(std::size_t i, std::span<const ChannelId> row) {
  add(i, -1);
  std::copy(row.begin(), row.end(), next_.begin() + static_cast<std::ptrdiff_t>(i * graph_->num_switches()));
  add(i, 1);
}

std::size_t TreeSearch::join_others(std::size_t i, const LaneSets& lanes) {
  std::vector<std::vector<SwitchId>> layers;  // by hops
  const auto join = [&](SwitchId s) {
    if (hops_[index(s)] >= layers.size()) layers.resize(hops_[index(s)] + 1);
    layers[hops_[index(s)]].push_back(s);
  };
  for (const SwitchId s : graph_->fabric().switches())
    if (hops_[index(s)] != kFar) join(s);
  std::size_t reached = 0;
  // A switch joins as soon as some settled neighbor keeps a lane for it.
  for (std::uint32_t h = 0; h < layers.size(); ++h) {
    reached += layers[h].size();
    const std::vector<SwitchId> layer = std::move(layers[h]);
    for (const SwitchId s : layer)
      for (const Hop& back : graph_->in(s)) {
        if (hops_[index(back.far)] != kFar || lanes_by(i, {back.channel, s}, lanes) == 0) continue;
        hops_[index(back.far)] = h + 1;
        (void)choose_nearer(i, back.far, lanes, Without::kNot);
        join(back.far);
      }
  }
  return reached;
}

bool TreeSearch::route_known_flows(std::size_t i, const LaneSets& lanes) {
  const auto row = std::span(next_).subspan(i * graph_->num_switches(), graph_->num_switches());
  const std::vector<ChannelId> before(row.begin(), row.end());
  start(i, static_cast<LaneMask>((1U << lanes.num_lanes()) - 1));
  shortest_.reset();
  std::fill(row.begin(), row.end(), kNoChannel);
  tree_.assign(1, graph_->lids()[i].at);
  bool all = true;
  const auto& known = graph_->lids()[i].known;
  for (std::size_t j = 0; j < std::min(kMostDetours, known.size()); ++j)
    all = all && join_known(i, known[j].first, known[j].second, lanes);
  if (all && join_others(i, lanes) == size_of(before)) return true;
  put_back(i, before);
  return false;
}

// By Dijkstra from the tree so far against the channels, on one lane. What it costs, or infinity when that is not below
// `below`; found_ has the channels.
double TreeSearch::find_path(std::size_t i, SwitchId from, double weight, const LaneSets& lanes, unsigned lane,
                             double below) {
  const auto bit = static_cast<LaneMask>(1U << lane);
  constexpr double kFarAway = std::numeric_limits<double>::infinity();
  cost_.assign(graph_->num_switches(), kFarAway);
  heap_.clear();
  const auto put = [&](double cost, SwitchId s) {
    cost_[index(s)] = cost;
    heap_.emplace_back(cost, s);
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
  };
  for (const SwitchId s : tree_)
    if ((mask_[index(s)] & bit) != 0) put(price_from(i, s, weight), s);
  while (!heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    const auto [so_far, s] = heap_.back();
    heap_.pop_back();
    if (so_far > cost_[index(s)]) continue;
    if (so_far >= below) return kFarAway;
    if (s == from) return so_far;
    const ChannelId onward = hops_[index(s)] == kFar ? found_[index(s)] : next(i, s);
    for (const Hop& hop : graph_->in(s)) {
      if (hops_[index(hop.far)] != kFar) continue;
      const double there = so_far + more(hop.channel, weight);
      if (there >= cost_[index(hop.far)]) continue;
      if (onward != kNoChannel && (lanes.allowed(hop.channel, onward) & bit) == 0) continue;
      found_[index(hop.far)] = hop.channel;
      put(there, hop.far);
    }
  }
  return kFarAway;
}

// The path from `from` to the tree so far, on the lane on which it costs least.
bool TreeSearch::join_known(std::size_t i, SwitchId from, double weight, const LaneSets& lanes) {
  if (hops_[index(from)] != kFar) return true;
  double least = std::numeric_limits<double>::infinity();
  best_path_.clear();
  for (unsigned lane = 0; lane < lanes.num_lanes(); ++lane) {
    const double cost = find_path(i, from, weight, lanes, lane, least);
    if (cost >= least) continue;
    least = cost;
    best_path_.clear();
    for (SwitchId s = from; hops_[index(s)] == kFar; s = end(best_path_.back())) best_path_.push_back(found_[index(s)]);
  }
  for (std::size_t step = best_path_.size(); step-- > 0;) {
    const ChannelId c = best_path_[step];
    const SwitchId s = graph_->fabric().source(c), far = end(c);
    mask_[index(s)] = mask_[index(far)];
    if (next(i, far) != kNoChannel) mask_[index(s)] &= lanes.allowed(c, next(i, far));
    next(i, s) = c;
    hops_[index(s)] = hops_[index(far)] + 1;
    tree_.push_back(s);
    load_path(i, s, flows_[index(s)]);
  }
  return !best_path_.empty();
}

double TreeSearch::known_max_load(std::size_t i) const {
  const ChannelId* row = &next_[i * graph_->num_switches()];
  double most = 0;
  for (const auto& [from, weight] : graph_->lids()[i].known)
    for (ChannelId c = row[index(from)]; c != kNoChannel; c = row[index(end(c))]) most = std::max(most, load(c));
  return most;
}

// Whether all that come through `turning`, itself included, keep a lane when it turns to `hop`. trial_ has their lanes then, as
// far as these change.
bool TreeSearch::keeps_lanes(std::size_t i, SwitchId turning, const Hop& hop, const LaneSets& lanes) {
  const ChannelId* row = &next_[i * graph_->num_switches()];
  trial_.assign(1, {turning, lanes_by(i, hop, lanes)});
  for (std::size_t head = 0; head < trial_.size(); ++head) {
    const auto [s, here] = trial_[head];
    const ChannelId out = s == turning ? hop.channel : row[index(s)];
    for (const Hop& in : graph_->in(s)) {
      if (row[index(in.far)] != in.channel) continue;
      const LaneMask behind = here & lanes.allowed(in.channel, out);
      if (behind == 0) return false;
      if (behind != mask_[index(in.far)]) trial_.emplace_back(in.far, behind);
    }
  }
  return true;
}

void TreeSearch::require_steps(std::size_t i, LaneSets& lanes) const {
  for (const SwitchId s : graph_->fabric().switches()) {
    const ChannelId c = next(i, s);
    if (c == kNoChannel) continue;
    if (const ChannelId onward = next(i, end(c)); onward != kNoChannel) lanes.require(c, onward);
  }
}

void TreeSearch::lanes_of(std::size_t i, std::span<const SwitchId> order, const LaneSets& lanes,
                          std::vector<LaneMask>& mask) const {
  const ChannelId* row = &next_[i * graph_->num_switches()];
  mask.assign(graph_->num_switches(), static_cast<LaneMask>((1U << lanes.num_lanes()) - 1));
  if (lanes.num_lanes() == 0) return;
  for (const SwitchId s : order.subspan(1)) {
    const ChannelId c = row[index(s)];
    const SwitchId far = end(c);
    if (row[index(far)] != kNoChannel) mask[index(s)] = mask[index(far)] & lanes.allowed(c, row[index(far)]);
  }
}

void TreeSearch::want_lanes(std::size_t i, std::span<const SwitchId> order, const std::vector<LaneMask>& mask,
                            LaneSets& lanes) const {
  const ChannelId* row = &next_[i * graph_->num_switches()];
  std::vector<std::uint32_t> routes(graph_->num_switches());
  for (const auto& [from, weight] : graph_->lids()[i].known)
    if (mask[index(from)] == 0) routes[index(from)] += kKnown;
  for (std::size_t place = order.size() - 1; place > 0; --place) {
    const SwitchId s = order[place];
    const ChannelId c = row[index(s)];
    routes[index(s)] += mask[index(s)] == 0 ? 1 : 0;
    const ChannelId onward = row[index(end(c))];
    if (onward != kNoChannel && routes[index(s)] > 0) lanes.want(c, onward, routes[index(s)]);
    routes[index(end(c))] += routes[index(s)];
  }
}

}  // namespace espalier
