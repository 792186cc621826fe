// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/multicast/sound_trunk.h"

#include <bit>
#include <utility>

#include "core/analysis/soundness/dependencies/multicast_dependencies.h"
#include "core/fabric/connectivity/breadth_first.h"

namespace espalier {
namespace {

using Vertex = ReachedChannels::Vertex;

class SoundTrunkGrower {
 public:
  SoundTrunkGrower(const Fabric& fabric, const Lanes& lanes, const ReachedChannels& reached, std::uint8_t sl,
                   SwitchId root)
      : fabric_(fabric),
        lanes_(lanes),
        sl_(sl),
        reached_(reached),
        order_(reached.toward_and_away(distances(fabric, {root}))),
        ports_(fabric.num_switches()),
        masks_(fabric.num_channels(), 0) {}

  Trunk grow(SwitchId root, const IdVector<SwitchId, McastSupport>& support) {
    Trunk trunk{root, IdVector<SwitchId, Trunk::Step>(fabric_.num_switches())};
    std::vector<SwitchId> queue{root};
    search_breadth_first(fabric_, queue, [&](SwitchId s, PortNum port, const Peer& peer) {
      const SwitchId other = peer.as_switch();
      if (trunk.contains(other) || support[other] == McastSupport::kNo || !joins(s, port)) return false;
      trunk.steps[other] = {s, peer.port, port};
      return true;
    });
    return trunk;
  }

 private:
  // Adds the link to the tree, unless that closes a cycle.
  bool joins(SwitchId s, PortNum port) {
    const Peer& peer = fabric_.peer(s, port);
    added_.clear();
    masks_before_.clear();
    ports_[s].push_back(port);
    ports_[peer.as_switch()].push_back(peer.port);
    if (add_steps(s, port)) return true;
    while (!added_.empty()) {
      order_.remove(added_.back().first, added_.back().second);
      added_.pop_back();
    }
    for (std::size_t i = masks_before_.size(); i-- > 0;) masks_[masks_before_[i].first] = masks_before_[i].second;
    ports_[s].pop_back();
    ports_[peer.as_switch()].pop_back();
    return false;
  }

  // Of the link that has just joined: packets that come in by `port` can be on new lanes elsewhere, and those that come in
  // elsewhere go on by it.
  bool add_steps(SwitchId s, PortNum port) {
    const Peer& peer = fabric_.peer(s, port);
    for (const PortNum out : ports_[s])
      if (!update_lanes(s, out)) return false;
    if (!update_lanes(peer.as_switch(), peer.port)) return false;
    for (const PortNum in : ports_[s]) {
      const ChannelId channel = coming_in(s, in);
      if (in != port && !add_step(channel, masks_[channel], port)) return false;
    }
    return true;
  }

  // Lanes on the channel that leaves `s` by `out`, with the steps that packets on new ones take.
  bool update_lanes(SwitchId s, PortNum out) {
    const ChannelId channel = fabric_.channel(s, out);
    const Peer& peer = fabric_.peer(channel);
    const std::uint32_t vls = multicast_lanes(fabric_, lanes_, s, ports_[s], out, sl_);
    const std::uint32_t fresh = vls & ~masks_[channel];
    if (fresh == 0) return true;
    masks_before_.emplace_back(channel, std::exchange(masks_[channel], vls));
    for (const PortNum next : ports_[peer.as_switch()])
      if (next != peer.port && !add_step(channel, fresh, next)) return false;
    return true;
  }

  // From a channel, on each of these lanes, to the one that leaves by `next` the switch that it leads to.
  bool add_step(ChannelId channel, std::uint32_t vls, PortNum next) {
    const Peer& peer = fabric_.peer(channel);
    const std::uint8_t next_vl = lanes_.vl(peer.as_switch(), peer.port, next, sl_);
    if (next_vl >= lanes_.num_vls()) return true;
    const Vertex to = reached_.number(fabric_.channel(peer.as_switch(), next), next_vl);
    for (; vls != 0; vls &= vls - 1) {
      const Vertex from = reached_.number(channel, static_cast<std::uint8_t>(std::countr_zero(vls)));
      if (!order_.add(from, to)) return false;
      added_.emplace_back(from, to);
    }
    return true;
  }

  [[nodiscard]] ChannelId coming_in(SwitchId s, PortNum port) const {
    const Peer& peer = fabric_.peer(s, port);
    return fabric_.channel(peer.as_switch(), peer.port);
  }

  const Fabric& fabric_;
  const Lanes& lanes_;
  std::uint8_t sl_;
  const ReachedChannels& reached_;
  OrderedGraph order_;
  IdVector<SwitchId, std::vector<PortNum>> ports_;  // of the tree
  IdVector<ChannelId, std::uint32_t> masks_;        // of the tree's channels: multicast_lanes() at each
  // By the link at hand:
  std::vector<std::pair<Vertex, Vertex>> added_;  // dependencies
  std::vector<std::pair<ChannelId, std::uint32_t>> masks_before_;
};

}  // namespace

TrunksBesideUnicast::TrunksBesideUnicast(const Fabric& fabric, const Lanes& lanes, const ChannelDependencies& unicast,
                                         std::uint8_t sl)
    : fabric_(fabric), lanes_(lanes), sl_(sl), reached_(fabric, unicast, lanes.maps().used(1U << sl)) {}

bool TrunksBesideUnicast::is_sound(const Trunk& trunk) const {
  std::vector<ReachedChannels::Step> steps;
  for (const MulticastStep& step : multicast_steps(fabric_, lanes_, links_of(fabric_, trunk), sl_)) {
    const ChannelId next = fabric_.channel(fabric_.peer(step.from).as_switch(), step.port);
    steps.emplace_back(reached_.number(step.from, step.vl), reached_.number(next, step.next_vl));
  }
  return !reached_.close_cycle(steps);
}

Trunk TrunksBesideUnicast::grow(SwitchId root, const IdVector<SwitchId, McastSupport>& support) const {
  return SoundTrunkGrower(fabric_, lanes_, reached_, sl_, root).grow(root, support);
}

std::vector<ChannelId> links_of(const Fabric& fabric, const Trunk& trunk) {
  std::vector<ChannelId> links;
  for (const SwitchId s : trunk.steps.ids())
    if (trunk.steps[s].parent != kNoSwitch) links.push_back(fabric.channel(s, trunk.steps[s].port));
  return links;
}

}  // namespace espalier
