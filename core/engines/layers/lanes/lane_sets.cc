// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/layers/lanes/lane_sets.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/engines/layers/lanes/channel_ranking.h"
#include "core/engines/layers/lanes/dependency_order.h"

namespace espalier {
namespace {

constexpr std::uint32_t kRequired = 1U << 20U;  // routes, in the order of channels

}  // namespace

LaneSets::LaneSets(const SwitchGraph& graph) : graph_(&graph) {
  const Fabric& fabric = graph.fabric();
  std::size_t num_steps = 0;
  for (const SwitchId s : fabric.switches()) num_steps += graph.in(s).size() * (fabric.at(s).num_ports + 1U);
  first_.reserve(fabric.num_channels());
  port_.reserve(fabric.num_channels());
  steps_.reserve(num_steps);
  for (const ChannelId c : IdRange<ChannelId>(fabric.num_channels())) {
    first_.push_back(static_cast<std::uint32_t>(steps_.size()));
    port_.push_back(static_cast<std::uint8_t>(fabric.port(c)));
    const Peer& peer = fabric.peer(c);
    if (!peer.is_switch()) continue;
    for (std::size_t port = 0; port <= fabric.at(peer.as_switch()).num_ports; ++port)
      steps_.emplace_back(c, fabric.channel(peer.as_switch(), id_at<PortNum>(port)));
  }
  allowed_.assign(steps_.size(), 0);
  wanted_.assign(steps_.size(), 0);
  required_.assign(steps_.size(), 0);
}

// Most of what is wanted ascends.
std::vector<std::uint32_t> LaneSets::ranked(std::span<const std::uint32_t> dependencies) const {
  LargeVector<WeightedStep> steps;
  steps.reserve(dependencies.size());
  for (const std::uint32_t d : dependencies)
    steps.push_back({static_cast<std::uint32_t>(index(steps_[d].first)),
                     static_cast<std::uint32_t>(index(steps_[d].second)), required_[d] != 0 ? kRequired : wanted_[d]});
  return rank_channels(first_.size(), steps);
}

LaneSets LaneSets::unrestricted(const SwitchGraph& graph) {
  LaneSets lanes(graph);
  std::fill(lanes.allowed_.begin(), lanes.allowed_.end(), 1);
  lanes.num_lanes_ = 1;
  return lanes;
}

void LaneSets::add_lane(const std::vector<std::uint32_t>* numbers) {
  const Fabric& fabric = graph_->fabric();
  LargeVector<std::uint32_t> by_use;
  for (std::uint32_t d = 0; d < wanted_.size(); ++d)
    if (wanted_[d] > 0 || required_[d] != 0) by_use.push_back(d);
  std::stable_sort(by_use.begin(), by_use.end(), [&](auto a, auto b) { return wanted_[a] > wanted_[b]; });
  DependencyOrder order(*graph_, numbers == nullptr ? ranked(by_use) : *numbers);
  const auto lane = static_cast<LaneMask>(1U << num_lanes_++);
  const auto has = [&](std::size_t d) { return (allowed_[d] & lane) != 0; };
  const auto allow = [&](std::size_t d) {
    if (has(d)) return true;
    if (!order.insert(steps_[d].first, steps_[d].second)) return false;
    allowed_[d] |= lane;
    return true;
  };
  for (std::size_t d = 0; d < required_.size(); ++d)
    check(required_[d] == 0 || allow(d), "what a lane has to allow closes a cycle");
  if (numbers == nullptr) {
    for (const std::uint32_t d : by_use)
      if (order.ascends(steps_[d].first, steps_[d].second)) (void)allow(d);
  } else {
    for (const SwitchId s : fabric.switches())
      for (const Hop& in : graph_->in(s))
        for (const Hop& out : graph_->out(s))
          if ((*numbers)[index(in.channel)] < (*numbers)[index(out.channel)])
            (void)allow(dependency(in.channel, out.channel));
  }

  std::erase_if(by_use, has);
  LargeVector<std::pair<ChannelId, ChannelId>> others;
  others.reserve(by_use.size());
  for (const std::uint32_t d : by_use) others.push_back(steps_[d]);
  const std::vector<std::uint8_t> closing = order.close_cycles(others);
  for (std::size_t i = 0; i < by_use.size(); ++i)
    if (closing[i] == 0) (void)allow(by_use[i]);
  std::fill(wanted_.begin(), wanted_.end(), 0);
  std::fill(required_.begin(), required_.end(), 0);
}

void LaneSets::add_lane_of(const LaneSets& other, unsigned lane) {
  for (std::size_t d = 0; d < allowed_.size(); ++d)
    if ((other.allowed_[d] >> lane & 1U) != 0) allowed_[d] |= static_cast<LaneMask>(1U << num_lanes_);
  ++num_lanes_;
}

std::vector<std::size_t> LaneSets::sizes() const {
  std::vector<std::size_t> sizes(num_lanes_);
  for (const LaneMask lanes : allowed_)
    for (unsigned lane = 0; lane < num_lanes_; ++lane) sizes[lane] += lanes >> lane & 1U;
  return sizes;
}

void LaneSets::repeat(unsigned most) {
  const unsigned own = num_lanes_;
  for (; num_lanes_ < most; ++num_lanes_)
    for (LaneMask& lanes : allowed_)
      if ((lanes >> (num_lanes_ % own) & 1U) != 0) lanes |= static_cast<LaneMask>(1U << num_lanes_);
}

}  // namespace espalier
