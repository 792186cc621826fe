// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What TreeSearch does with lanes.
#include <algorithm>
#include <limits>

#include "core/engines/layers/tree_search.h"

namespace espalier {
namespace {

// Above all loads to the fourth power that there can be.
constexpr double kForbidden = 1e60;
constexpr auto kUntouched = static_cast<LaneMask>(~0U);  // there are at most 15 lanes

}  // namespace

// The cheapest channel of s among those that lead one hop nearer, all of which are done; s sends over it from now on.
bool TreeSearch::choose_nearer(std::size_t i, SwitchId s, const LaneSets& lanes, Without without) {
  const double sent = flows_[index(s)];
  const double weight = std::max(sent, unit_);
  double least = std::numeric_limits<double>::infinity();
  ChannelId best = kNoChannel;
  for (const Hop& hop : graph_->out(s)) {
    if (hops_[index(hop.far)] + 1 != hops_[index(s)]) continue;
    const ChannelId onward = next(i, hop.far);
    LaneMask mask = mask_[index(hop.far)];
    if (onward != kNoChannel) mask &= lanes.allowed(hop.channel, onward);
    if (mask == 0 && without == Without::kNot) continue;
    const double price = more(hop.channel, weight) + price_from(i, hop.far, weight) + (mask == 0 ? kForbidden : 0);
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
  const SwitchId at = graph_->lids()[i].at;
  const auto row = next_.begin() + static_cast<std::ptrdiff_t>(i * graph_->num_switches());
  const std::vector<ChannelId> before(row, row + static_cast<std::ptrdiff_t>(graph_->num_switches()));
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
        if (choose_nearer(i, back.far, lanes, Without::kNot))
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

// Whether all that come through order_[place], itself included, keep a lane when it turns to `hop`.
bool TreeSearch::keeps_lanes(std::size_t i, std::size_t place, const Hop& hop, const LaneSets& lanes) {
  const ChannelId* row = &next_[i * graph_->num_switches()];
  const SwitchId turning = order_[place];
  const auto after = [&](ChannelId c, SwitchId far, ChannelId onward, const std::vector<LaneMask>& mask) {
    return onward == kNoChannel ? mask[index(far)] : static_cast<LaneMask>(mask[index(far)] & lanes.allowed(c, onward));
  };
  trial_.assign(graph_->num_switches(), kUntouched);
  trial_[index(turning)] = after(hop.channel, hop.far, row[index(hop.far)], mask_);
  if (trial_[index(turning)] == 0) return false;
  for (std::size_t p = place + 1; p < order_.size(); ++p) {
    const SwitchId s = order_[p];
    const SwitchId far = end(row[index(s)]);
    if (trial_[index(far)] == kUntouched) continue;
    trial_[index(s)] = after(row[index(s)], far, far == turning ? hop.channel : row[index(far)], trial_);
    if (trial_[index(s)] == 0) return false;
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
