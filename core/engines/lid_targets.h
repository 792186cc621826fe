// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The LID ranges to route, grouped by the switch at which they arrive.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/tree/fat_tree.h"
#include "core/tree/order/node_order.h"

namespace espalier {

// One LID range: a host, an Aggregation Node or the switch itself.
struct LidTarget {
  Lid base = kNoLid;
  std::uint8_t lmc = 0;
  PortNum last_port = kNoPort;  // the port of the destination switch that delivers; 0 for the switch itself
  std::uint32_t id = 0;         // topological id
};

[[nodiscard]] constexpr IdRange<Lid> lids_of(const LidTarget& target) { return lids_of(target.base, target.lmc); }

class LidTargets {
 public:
  LidTargets(const FatTree& tree, const NodeOrder& order);
  // In port order, the switch itself first.
  [[nodiscard]] std::span<const LidTarget> at(SwitchId t) const {
    return {targets_.data() + first_[index(t)], first_[index(t) + 1] - first_[index(t)]};
  }
  // visit(Lid, last port) for each LID of each range at t.
  template <class Visit>
  void for_each_lid(SwitchId t, Visit&& visit) const {
    for (const LidTarget& target : at(t))
      for (const Lid lid : lids_of(target)) visit(lid, target.last_port);
  }

 private:
  std::vector<LidTarget> targets_;
  std::vector<std::uint32_t> first_;
};

}  // namespace espalier
