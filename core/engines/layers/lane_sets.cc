// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/layers/lane_sets.h"

#include <algorithm>
#include <numeric>

#include "core/base/check.h"

namespace espalier {

LaneSets::LaneSets(const SwitchGraph& graph) : graph_(&graph) {
  const Fabric& fabric = graph.fabric();
  for (const ChannelId c : IdRange<ChannelId>(fabric.num_channels())) {
    first_.push_back(static_cast<std::uint32_t>(steps_.size()));
    const Peer& peer = fabric.peer(c);
    if (!peer.is_switch()) continue;
    for (std::size_t port = 0; port <= fabric.at(peer.as_switch()).num_ports; ++port)
      steps_.emplace_back(c, fabric.channel(peer.as_switch(), id_at<PortNum>(port)));
  }
  allowed_.assign(steps_.size(), 0);
  wanted_.assign(steps_.size(), 0);
  required_.assign(steps_.size(), 0);
}

LaneSets LaneSets::unrestricted(const SwitchGraph& graph) {
  LaneSets lanes(graph);
  std::fill(lanes.allowed_.begin(), lanes.allowed_.end(), 1);
  lanes.num_lanes_ = 1;
  return lanes;
}

// Channels by which more is to come than to go on come late. What a lane takes does not depend on it, only the time.
std::vector<std::uint32_t> LaneSets::first_order() const {
  std::vector<double> late(first_.size()), all(first_.size());
  for (std::size_t d = 0; d < steps_.size(); ++d) {
    if (wanted_[d] == 0) continue;
    const auto [in, out] = steps_[d];
    late[index(in)] -= wanted_[d];
    late[index(out)] += wanted_[d];
    all[index(in)] += wanted_[d];
    all[index(out)] += wanted_[d];
  }
  for (std::size_t c = 0; c < late.size(); ++c) late[c] /= std::max(1.0, all[c]);
  std::vector<std::uint32_t> order(first_.size()), numbers(first_.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return late[a] < late[b]; });
  for (std::uint32_t i = 0; i < order.size(); ++i) numbers[order[i]] = i;
  return numbers;
}

void LaneSets::add_lane(const std::vector<std::uint32_t>* numbers) {
  const Fabric& fabric = graph_->fabric();
  DependencyOrder order(*graph_, numbers == nullptr ? first_order() : *numbers);
  const auto lane = static_cast<LaneMask>(1U << num_lanes_++);
  const auto allow = [&](std::size_t d) {
    if ((allowed_[d] & lane) != 0) return true;
    if (!order.insert(steps_[d].first, steps_[d].second)) return false;
    allowed_[d] |= lane;
    return true;
  };
  for (std::size_t d = 0; d < required_.size(); ++d)
    check(required_[d] == 0 || allow(d), "what a lane has to allow closes a cycle");
  if (numbers != nullptr)
    for (const SwitchId s : fabric.switches())
      for (const Hop& in : graph_->in(s))
        for (const Hop& out : graph_->out(s))
          if ((*numbers)[index(in.channel)] < (*numbers)[index(out.channel)])
            (void)allow(dependency(in.channel, out.channel));

  std::vector<std::uint32_t> by_use;
  for (std::uint32_t d = 0; d < wanted_.size(); ++d)
    if (wanted_[d] > 0 && (allowed_[d] & lane) == 0) by_use.push_back(d);
  std::stable_sort(by_use.begin(), by_use.end(), [&](auto a, auto b) { return wanted_[a] > wanted_[b]; });
  for (const std::uint32_t d : by_use) (void)allow(d);
  std::fill(wanted_.begin(), wanted_.end(), 0);
  std::fill(required_.begin(), required_.end(), 0);
}

void LaneSets::repeat(unsigned most) {
  const unsigned own = num_lanes_;
  for (; num_lanes_ < most; ++num_lanes_)
    for (LaneMask& lanes : allowed_)
      if ((lanes >> (num_lanes_ % own) & 1U) != 0) lanes |= static_cast<LaneMask>(1U << num_lanes_);
}

}  // namespace espalier
