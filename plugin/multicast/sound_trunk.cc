// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/multicast/sound_trunk.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/ordered_graph.h"
#include "core/tree/levels.h"

namespace espalier {
namespace {

using Vertex = OrderedGraph::Vertex;

// The virtual channels to which packets of some lanes lead, these lanes of all channels included, with numbers of their
// own. What no such packet leads to is on no cycle with the tree.
class ReachedChannels {
 public:
  // `vls`, bit v: VL v.
  ReachedChannels(const Fabric& fabric, const ChannelDependencies& unicast, std::uint32_t vls)
      : fabric_(fabric), unicast_(unicast), number_(unicast.num_virtual_channels(), kUnreached) {
    for (const ChannelId c : IdRange<ChannelId>(fabric.num_channels()))
      for (std::uint8_t vl = 0; vl < unicast.num_vls(); ++vl)
        if ((vls >> vl & 1U) != 0) reach(unicast.virtual_channel(c, vl));
    for (std::size_t i = 0; i < channels_.size(); ++i)
      unicast.for_each_next(channels_[i], [&](VirtualChannelId next) { reach(next); });
  }

  // REQUIRES: it is reached.
  [[nodiscard]] Vertex number(VirtualChannelId v) const { return number_[index(v)]; }

  // In an order that most steps of a tree from the root agree with, as far as unicast lets it be: toward the root from far
  // away, then away from it. `hops`: of switches from the root.
  [[nodiscard]] OrderedGraph graph(const IdVector<SwitchId, std::uint32_t>& hops) const {
    std::vector<std::pair<Vertex, Vertex>> edges;
    for (Vertex v = 0; v < channels_.size(); ++v)
      unicast_.for_each_next(channels_[v], [&](VirtualChannelId next) { edges.emplace_back(v, number(next)); });
    auto shared = std::make_shared<const SharedEdges>(channels_.size(), edges);
    const std::vector<Vertex> ordered = order(*shared, turns(hops));
    return OrderedGraph(ordered, std::move(shared));
  }

 private:
  static constexpr Vertex kUnreached = UINT32_MAX;

  void reach(VirtualChannelId v) {
    if (number_[index(v)] != kUnreached) return;
    number_[index(v)] = static_cast<Vertex>(channels_.size());
    channels_.push_back(v);
  }

  // When a channel comes in the order, if nothing else decides.
  [[nodiscard]] std::vector<std::uint32_t> turns(const IdVector<SwitchId, std::uint32_t>& hops) const {
    std::uint32_t farthest = 0;
    for (const std::uint32_t h : hops) farthest = h == kFarAway ? farthest : std::max(farthest, h);
    std::vector<std::uint32_t> turn(channels_.size(), 0);
    for (Vertex v = 0; v < channels_.size(); ++v) {
      const ChannelId c = unicast_.channel(channels_[v]);
      const Peer& peer = fabric_.peer(c);
      const std::uint32_t from = hops[fabric_.source(c)];
      if (!peer.is_switch() || from == kFarAway) continue;
      const std::uint32_t to = hops[peer.as_switch()];
      turn[v] = to < from ? farthest - from : to == from ? farthest : farthest + to;
    }
    return turn;
  }

  // Topological, and by turns where there is a choice.
  [[nodiscard]] static std::vector<Vertex> order(const SharedEdges& edges, const std::vector<std::uint32_t>& turn) {
    std::vector<std::size_t> left(turn.size());  // predecessors that are not in the order yet
    std::vector<std::vector<Vertex>> ready(turn.empty() ? 0 : *std::max_element(turn.begin(), turn.end()) + 1);
    for (Vertex v = 0; v < turn.size(); ++v) {
      left[v] = edges.predecessors(v).size();
      if (left[v] == 0) ready[turn[v]].push_back(v);
    }
    std::vector<Vertex> order;
    order.reserve(turn.size());
    for (std::size_t now = 0; now < ready.size();) {
      if (ready[now].empty()) {
        ++now;
        continue;
      }
      order.push_back(ready[now].back());
      ready[now].pop_back();
      for (const Vertex next : edges.successors(order.back())) {
        if (--left[next] != 0) continue;
        ready[turn[next]].push_back(next);
        now = std::min<std::size_t>(now, turn[next]);
      }
    }
    return order;
  }

  const Fabric& fabric_;
  const ChannelDependencies& unicast_;
  std::vector<Vertex> number_;  // per virtual channel
  std::vector<VirtualChannelId> channels_;
};

class SoundTrunkGrower {
 public:
  SoundTrunkGrower(const Fabric& fabric, const Lanes& lanes, const ChannelDependencies& unicast, std::uint8_t sl,
                   SwitchId root)
      : fabric_(fabric),
        lanes_(lanes),
        sl_(sl),
        unicast_(unicast),
        reached_(fabric, unicast, lanes.maps().used(1U << sl)),
        order_(reached_.graph(distances(fabric, {root}))),
        ports_(fabric.num_switches()),
        masks_(fabric.num_channels(), 0) {}

  Trunk grow(SwitchId root, const IdVector<SwitchId, McastSupport>& support) {
    Trunk trunk{root, IdVector<SwitchId, Trunk::Step>(fabric_.num_switches())};
    std::vector<SwitchId> queue{root};
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const SwitchId s = queue[i];
      for (std::size_t p = 1; p <= fabric_.at(s).num_ports; ++p) {
        const PortNum port = id_at<PortNum>(p);
        const Peer& peer = fabric_.peer(s, port);
        if (!peer.is_switch()) continue;
        const SwitchId other = peer.as_switch();
        if (trunk.contains(other) || support[other] == McastSupport::kNo || !joins(s, port)) continue;
        trunk.steps[other] = {s, peer.port, port};
        queue.push_back(other);
      }
    }
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
    const std::uint32_t vls = lanes_on(s, out);
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
    if (next_vl >= unicast_.num_vls()) return true;
    const Vertex to = vertex(fabric_.channel(peer.as_switch(), next), next_vl);
    for (; vls != 0; vls &= vls - 1) {
      const Vertex from = vertex(channel, static_cast<std::uint8_t>(std::countr_zero(vls)));
      if (!order_.add(from, to)) return false;
      added_.emplace_back(from, to);
    }
    return true;
  }

  [[nodiscard]] ChannelId coming_in(SwitchId s, PortNum port) const {
    const Peer& peer = fabric_.peer(s, port);
    return fabric_.channel(peer.as_switch(), peer.port);
  }

  // Bit v: packets of members at `s`, of the switch itself or from elsewhere in the tree can be on VL v.
  [[nodiscard]] std::uint32_t lanes_on(SwitchId s, PortNum out) const {
    std::uint32_t vls = 0;
    const auto from = [&](PortNum in) {
      const std::uint8_t vl = lanes_.vl(s, in, out, sl_);
      if (vl < unicast_.num_vls()) vls |= 1U << vl;
    };
    from(kManagementPort);
    for (std::size_t p = 1; p <= fabric_.at(s).num_ports; ++p)
      if (fabric_.peer(s, id_at<PortNum>(p)).is_endport()) from(id_at<PortNum>(p));
    for (const PortNum in : ports_[s])
      if (in != out) from(in);
    return vls;
  }

  [[nodiscard]] Vertex vertex(ChannelId c, std::uint8_t vl) const {
    return reached_.number(unicast_.virtual_channel(c, vl));
  }

  const Fabric& fabric_;
  const Lanes& lanes_;
  std::uint8_t sl_;
  const ChannelDependencies& unicast_;
  ReachedChannels reached_;
  OrderedGraph order_;
  IdVector<SwitchId, std::vector<PortNum>> ports_;  // of the tree
  IdVector<ChannelId, std::uint32_t> masks_;        // of the tree's channels: lanes_on() at each
  // By the link at hand:
  std::vector<std::pair<Vertex, Vertex>> added_;  // dependencies
  std::vector<std::pair<ChannelId, std::uint32_t>> masks_before_;
};

}  // namespace

Trunk grow_sound_trunk(const Fabric& fabric, const Lanes& lanes, const ChannelDependencies& unicast, SwitchId root,
                       const IdVector<SwitchId, McastSupport>& support, std::uint8_t sl) {
  return SoundTrunkGrower(fabric, lanes, unicast, sl, root).grow(root, support);
}

}  // namespace espalier
