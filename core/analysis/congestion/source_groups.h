// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Hosts that take the same paths to every destination: those of one leaf, unless a table names the LID of each flow.
#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/routes/host_routes.h"

namespace espalier {

struct SourceGroup {
  std::uint32_t rank = 0;  // the lowest
  std::uint32_t num_hosts = 0;
};

struct SourceGroups {
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  std::vector<SourceGroup> groups;     // by ascending rank
  std::vector<std::uint32_t> of_rank;  // into groups; kNone: on no switch

  explicit SourceGroups(const HostRoutes& routes) {
    std::vector<std::uint32_t> of_leaf(routes.num_switches(), kNone);
    for (std::uint32_t rank = 0; rank < routes.num_hosts(); ++rank) {
      of_rank.push_back(kNone);
      if (routes.leaf(rank) == kNoSwitch) continue;
      std::uint32_t& group = of_leaf[index(routes.leaf(rank))];
      if (group == kNone || !routes.same_from_leaf()) {
        group = static_cast<std::uint32_t>(groups.size());
        groups.push_back({rank, 0});
      }
      ++groups[group].num_hosts;
      of_rank.back() = group;
    }
  }
};

}  // namespace espalier
