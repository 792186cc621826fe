// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/multicast/sound_trunk.h"

#include <unordered_set>
#include <utility>
#include <vector>

#include "core/base/ordered_graph.h"
#include "core/base/topological_order.h"

namespace espalier {
namespace {

using Vertex = OrderedGraph::Vertex;

// Virtual channels, each before those that it leads to.
std::vector<Vertex> topological(const ChannelDependencies& graph) {
  const auto for_each_next = [&](Vertex v, auto&& visit) {
    graph.for_each_next(id_at<VirtualChannelId>(v), [&](VirtualChannelId c) { visit(static_cast<Vertex>(index(c))); });
  };
  std::vector<std::uint32_t> in_degree;
  std::vector<Vertex> order;
  sort_topologically(graph.num_virtual_channels(), for_each_next, in_degree, order);
  return order;
}

class SoundTrunkGrower {
 public:
  SoundTrunkGrower(const Fabric& fabric, const Lanes& lanes, const ChannelDependencies& unicast, std::uint8_t sl)
      : fabric_(fabric),
        lanes_(lanes),
        sl_(sl),
        num_vls_(unicast.num_vls()),
        order_(topological(unicast)),
        ports_(fabric.num_switches()) {
    // What no packet of `sl` leads to is on no cycle with the tree.
    std::vector<std::uint8_t> reached(unicast.num_virtual_channels());
    std::vector<VirtualChannelId> queue;
    const auto reach = [&](VirtualChannelId v) {
      if (std::exchange(reached[index(v)], 1) == 0) queue.push_back(v);
    };
    const std::uint32_t vls = lanes.maps().used(1U << sl);
    for (const ChannelId c : IdRange<ChannelId>(fabric.num_channels()))
      for (std::uint8_t vl = 0; vl < num_vls_; ++vl)
        if ((vls >> vl & 1U) != 0) reach(unicast.virtual_channel(c, vl));
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const auto v = static_cast<Vertex>(index(queue[i]));
      unicast.for_each_next(queue[i], [&](VirtualChannelId next) {
        static_cast<void>(order_.add(v, static_cast<Vertex>(index(next))));
        reach(next);
      });
    }
  }

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
  using Edge = std::pair<Vertex, Vertex>;

  // Adds the link to the tree, unless that closes a cycle.
  bool joins(SwitchId s, PortNum port) {
    const Peer& peer = fabric_.peer(s, port);
    ports_[s].push_back(port);
    ports_[peer.as_switch()].push_back(peer.port);
    std::vector<Edge> added;
    bool sound = true;
    // What changes: lanes on the links that leave `s`, and where packets go on that come in there.
    for (const PortNum out : ports_[s]) {
      sound = sound && add_steps_after(s, out, added);
      const Peer& neighbor = fabric_.peer(s, out);
      sound = sound && add_steps_after(neighbor.as_switch(), neighbor.port, added);
    }
    if (sound) return true;
    for (std::size_t i = added.size(); i-- > 0;) {
      order_.remove(added[i].first, added[i].second);
      known_.erase(key(added[i]));
    }
    ports_[s].pop_back();
    ports_[peer.as_switch()].pop_back();
    return false;
  }

  // From the channel that leaves `s` by `out` to all others of the tree at the switch that it leads to.
  bool add_steps_after(SwitchId s, PortNum out, std::vector<Edge>& added) {
    const ChannelId channel = fabric_.channel(s, out);
    const Peer& peer = fabric_.peer(channel);
    const std::uint32_t vls = lanes_on(s, out);
    for (const PortNum next : ports_[peer.as_switch()]) {
      const std::uint8_t next_vl = lanes_.vl(peer.as_switch(), peer.port, next, sl_);
      if (next == peer.port || next_vl >= num_vls_) continue;
      for (std::uint8_t vl = 0; vl < num_vls_; ++vl) {
        if ((vls >> vl & 1U) == 0) continue;
        const Edge edge{vertex(channel, vl), vertex(fabric_.channel(peer.as_switch(), next), next_vl)};
        if (!known_.insert(key(edge)).second) continue;
        if (!order_.add(edge.first, edge.second)) {
          known_.erase(key(edge));
          return false;
        }
        added.push_back(edge);
      }
    }
    return true;
  }

  // Bit v: packets of members at `s`, of the switch itself or from elsewhere in the tree can be on VL v.
  [[nodiscard]] std::uint32_t lanes_on(SwitchId s, PortNum out) const {
    std::uint32_t vls = 0;
    const auto from = [&](PortNum in) {
      const std::uint8_t vl = lanes_.vl(s, in, out, sl_);
      if (vl < num_vls_) vls |= 1U << vl;
    };
    from(kManagementPort);
    for (std::size_t p = 1; p <= fabric_.at(s).num_ports; ++p)
      if (fabric_.peer(s, id_at<PortNum>(p)).is_endport()) from(id_at<PortNum>(p));
    for (const PortNum in : ports_[s])
      if (in != out) from(in);
    return vls;
  }

  [[nodiscard]] Vertex vertex(ChannelId c, std::uint8_t vl) const {
    return static_cast<Vertex>(index(c) * num_vls_ + vl);
  }
  [[nodiscard]] static std::uint64_t key(const Edge& edge) { return std::uint64_t{edge.first} << 32 | edge.second; }

  const Fabric& fabric_;
  const Lanes& lanes_;
  std::uint8_t sl_;
  unsigned num_vls_;
  OrderedGraph order_;
  IdVector<SwitchId, std::vector<PortNum>> ports_;  // of the tree
  std::unordered_set<std::uint64_t> known_;         // dependencies of the tree
};

}  // namespace

Trunk grow_sound_trunk(const Fabric& fabric, const Lanes& lanes, const ChannelDependencies& unicast, SwitchId root,
                       const IdVector<SwitchId, McastSupport>& support, std::uint8_t sl) {
  return SoundTrunkGrower(fabric, lanes, unicast, sl).grow(root, support);
}

}  // namespace espalier
