// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// How often each link has been taken, for engines that prefer the least used.
//
// One number per port group is enough. Always the least used link of a group is taken, so after n times the next is
// link n mod #links, and it has been taken floor(n / #links) times.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "core/tree/fat_tree.h"

namespace espalier {

class UsageCounters {
 public:
  explicit UsageCounters(const FatTree& tree) : tree_(tree), times_(tree.fabric().num_channels()) {}

  [[nodiscard]] PortNum least_used(const PortGroup& g) const { return tree_.ports(g)[times(g) % g.num_ports]; }
  void take(const PortGroup& g) { ++times_[g.first_port]; }

  // Sorts groups by their least used link; of equally used ones each group's first link comes before any second.
  [[nodiscard]] std::tuple<std::uint32_t, std::uint32_t, SwitchId> key(const PortGroup& g) const {
    return {times(g) / g.num_ports, times(g) % g.num_ports, g.remote};
  }

 private:
  [[nodiscard]] std::uint32_t times(const PortGroup& g) const { return times_[g.first_port]; }

  const FatTree& tree_;
  std::vector<std::uint32_t> times_;  // per group, at its first port
};

}  // namespace espalier
