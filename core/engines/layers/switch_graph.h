// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What `layers` looks at: channels between switches in both directions, and the LIDs to route.
#pragma once

#include <span>
#include <vector>

#include "core/engines/table_columns.h"
#include "core/fabric/fabric.h"
#include "core/fabric/known_flows.h"

namespace espalier {

// A channel between switches, seen from one end.
struct Hop {
  ChannelId channel;
  SwitchId far;  // the switch at the other end
};

struct RoutedLid {
  Lid lid = kNoLid;
  SwitchId at = kNoSwitch;  // where it is delivered
  PortNum last_port = kNoPort;
  std::uint8_t offset = 0;  // among the LIDs of its port
  double weight = 0;        // of each host's flow to it; 0: a switch or an Aggregation Node, no traffic to balance
  // What else is sent to it, from which switch, and how much; heaviest first.
  std::vector<std::pair<SwitchId, double>> known{};
  // LIDs of the same switch that share its tree, and where they are delivered; `weight` is of all.
  std::vector<std::pair<Lid, PortNum>> sharing{};
};

class SwitchGraph {
 public:
  // All hosts send the same to each other, and `flows` come on top, each to that offset of its destination (none given: to
  // offset 0); where there are some, the weight of all others is so small that they only decide among equals, and channels
  // are weighed by what they carry.
  explicit SwitchGraph(const Fabric& fabric, std::span<const KnownFlow> flows = {},
                       std::span<const std::uint8_t> offsets = {});

  // With one tree for up to `most` LIDs of a switch's hosts, the first of which is also that of the switch itself.
  // REQUIRES: `most` > 0, and there are no known flows.
  [[nodiscard]] SwitchGraph sharing_trees(std::uint32_t most) const;
  // With one tree for the LIDs of each column of tables. REQUIRES: each port has one LID, and there are no known flows.
  [[nodiscard]] SwitchGraph sharing_trees(std::span<const TableColumn> columns) const;

  [[nodiscard]] const Fabric& fabric() const { return *fabric_; }
  [[nodiscard]] std::size_t num_switches() const { return fabric_->num_switches(); }
  [[nodiscard]] std::span<const Hop> out(SwitchId s) const { return span(out_, s); }
  [[nodiscard]] std::span<const Hop> in(SwitchId s) const { return span(in_, s); }
  // Between switches.
  [[nodiscard]] std::size_t num_channels() const { return out_.size(); }
  // The switch at its far end. REQUIRES: a channel between switches.
  [[nodiscard]] SwitchId far(ChannelId c) const { return far_[index(c)]; }
  // What a flow of weight 1 puts on it: 1, and with known flows the rate of the fastest link between switches by its own.
  [[nodiscard]] float weight(ChannelId c) const { return weights_[index(c)]; }
  // Where no flows are known: channels of links slower than the fastest between switches begin with a load, so that they are
  // as full as others with as much less of their own. `fullest`: on the fullest channel, were all links alike; returns what it
  // is since they are not.
  double load_slow_links(double fullest);
  // What channels begin with; empty: nothing.
  [[nodiscard]] const std::vector<double>& taken() const { return taken_; }
  // Hosts on it.
  [[nodiscard]] std::uint32_t hosts(SwitchId s) const { return hosts_[s]; }
  // By destination switch; hosts before others, lower offsets first.
  [[nodiscard]] const std::vector<RoutedLid>& lids() const { return lids_; }
  // Whether some port has several LIDs.
  [[nodiscard]] bool has_offsets() const;
  // Where a LID is in lids(). REQUIRES: it is there, and there are known flows.
  [[nodiscard]] std::size_t place(Lid lid) const { return place_[lid]; }

 private:
  void share_tree(std::size_t tree, const RoutedLid& lid);
  void add_flows(std::span<const KnownFlow> flows, std::span<const std::uint8_t> offsets);
  void weigh_channels();
  [[nodiscard]] std::span<const Hop> span(const std::vector<Hop>& hops, SwitchId s) const {
    return {hops.data() + first_[index(s)], hops.data() + first_[index(s) + 1]};
  }

  const Fabric* fabric_;
  std::vector<std::uint32_t> first_;  // per switch, of both lists: a link has two directions
  std::vector<Hop> out_, in_;
  std::vector<SwitchId> far_;   // per channel
  std::vector<float> weights_;  // per channel
  std::vector<double> taken_;
  IdVector<SwitchId, std::uint32_t> hosts_;
  std::vector<RoutedLid> lids_;
  IdVector<Lid, std::uint32_t> place_;
};

}  // namespace espalier
