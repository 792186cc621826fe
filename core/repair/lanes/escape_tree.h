// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A spanning tree of links whose turns are all allowed on one service level, beside all dependencies that there are: so every
// switch reaches every other along it, whatever else is added later. Such are the escape paths of Nue (J. Domke, T. Hoefler,
// S. Matsuoka, HPDC 2016), of which a lane has to keep some from the start; lanes of tables by engine `layers` nearly always
// have room for some.
//
// Where SL2VL tables tell ports apart, as on dragonflies, a packet may be on several lanes of a link of the tree, by the port
// that it came from. So each turn is allowed from all lanes of its first link that the tree leads to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/fabric/fabric.h"
#include "core/repair/lanes/lane_routing.h"

namespace espalier {

class EscapeTree {
 public:
  // Grows as far as it can, from `root` and in other connected components from any switch; its turns are allowed from then on.
  // REQUIRES: `routing` outlives this.
  EscapeTree(LaneRouting& routing, SwitchId root, std::uint8_t sl);

  [[nodiscard]] std::uint8_t sl() const { return sl_; }
  [[nodiscard]] std::size_t num_members() const { return members_.size(); }
  [[nodiscard]] bool is_whole() const { return members_.size() == is_member_.size(); }
  // Per switch the port by which it leads to t; kNoPort: it does not. REQUIRES: it has reached t.
  [[nodiscard]] std::vector<PortNum> toward(SwitchId t) const;

  // Clears entries of routes that are in the way of its links, as few as it finds, until it reaches all switches. What else has
  // been allowed is forgotten. False: it has to give up.
  [[nodiscard]] bool make_way();

 private:
  // From a switch that the tree has reached.
  struct Link {
    SwitchId from;
    PortNum port;
  };
  struct Entry {
    SwitchId at;
    Lid lid;  // the first of those alike
  };

  void plant(SwitchId s);
  void grow();
  // Of a switch that it has reached, links to those that it has not.
  template <class Visit>
  void for_each_way_out(SwitchId s, Visit&& visit) const {
    for (const PortNum p : fabric_.ports(s))
      if (const Peer& peer = fabric_.peer(s, p); peer.is_switch() && is_member_[peer.id] == 0) visit(Link{s, p});
  }
  [[nodiscard]] bool is_on_tree(ChannelId c) const { return lanes_[index(c)] != 0; }
  [[nodiscard]] bool join(const Link& link);
  [[nodiscard]] bool allow_turns(const Link& link);
  [[nodiscard]] bool enter(ChannelId channel, std::uint8_t vl);
  [[nodiscard]] bool enter_from_hosts(ChannelId channel);
  [[nodiscard]] bool turn(ChannelId from, ChannelId to);
  [[nodiscard]] bool allow(ChannelId from, std::uint8_t vl, ChannelId to, std::uint8_t next_vl);
  [[nodiscard]] bool rejoin();
  [[nodiscard]] std::vector<Entry> in_the_way(const Link& link) const;
  [[nodiscard]] bool is_used(SwitchId s, Lid lid) const;

  LaneRouting& routing_;
  const Fabric& fabric_;
  std::uint8_t sl_;
  std::vector<std::uint16_t>
      lanes_;  // per channel: a bit for each VL that the tree's packets may be on; 0: not on the tree
  IdVector<SwitchId, std::uint32_t> component_;
  std::vector<std::uint8_t> is_member_;  // per switch
  std::vector<SwitchId> members_;
  std::vector<Link> links_;  // those that a switch joined by before those that others joined at it
  std::vector<std::pair<ChannelId, std::uint16_t>> changed_;  // by the link that joins: in lanes_, and what was there
};

}  // namespace espalier
