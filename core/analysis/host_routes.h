// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The routes between an ordered list of hosts, in the shape in which millions of them can be followed.
//
// Congestion metrics walk (hosts x patterns) routes of a few steps, and each step is a look-up at a random place. So
// what the walk needs is copied once: per switch one row of entries in host order (a byte each; neighbours in the order
// are neighbours in memory), and per channel the switch it leads to. Entries that lead nowhere are replaced by kNoPort
// here, so that the walk needs no bounds checks.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/fabric/fabric.h"
#include "core/fabric/forwarding_tables.h"

namespace espalier {

class HostRoutes {
 public:
  // Ranks are positions in `hosts`. Offset 0 of each host's LIDs. A host without LID or switch is never reached, and
  // reaches none. Copies what it needs. Memory: switches x hosts bytes.
  // REQUIRES: tables.num_switches() == fabric.num_switches().
  HostRoutes(const Fabric& fabric, const ForwardingTables& tables, const std::vector<EndportId>& hosts);

  [[nodiscard]] std::size_t num_hosts() const { return leaf_.size(); }
  [[nodiscard]] std::size_t num_switches() const { return first_channel_.size(); }
  [[nodiscard]] std::size_t num_channels() const { return leads_to_.size(); }
  // kNoSwitch when it hangs on none.
  [[nodiscard]] SwitchId leaf(std::size_t rank) const { return leaf_[rank]; }

  // visit(ChannelId) for each switch-to-switch channel from switch `from` to the host, in order. Returns whether the
  // host is reached. A way to nowhere is visited up to its end, a circle for num_switches() steps; the same each time.
  template <class Visit>
  bool follow(SwitchId from, std::size_t to_rank, Visit&& visit) const {
    const SwitchId goal = leaf_[to_rank];
    for (std::size_t steps = 0; from != goal; ++steps) {
      if (from == kNoSwitch || steps == num_switches()) return false;
      const PortNum port = entries_[index(from) * num_hosts() + to_rank];
      if (port == kNoPort) return false;
      const std::size_t channel = first_channel_[index(from)] + index(port);
      visit(id_at<ChannelId>(channel));
      from = leads_to_[channel];
    }
    return delivered_[to_rank] != 0;
  }

 private:
  std::vector<SwitchId> leaf_;                // per rank
  std::vector<std::uint8_t> delivered_;       // per rank: its leaf hands over to it
  std::vector<std::uint32_t> first_channel_;  // per switch
  std::vector<SwitchId> leads_to_;            // per channel
  std::vector<PortNum> entries_;              // [switch][rank]: a port to another switch, or kNoPort
};

}  // namespace espalier
