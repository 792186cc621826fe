// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// How good levels are, by what routing will make of them: what rank() compares its proposals by, see there.
#pragma once

#include <compare>
#include <cstdint>

#include "core/tree/fat_tree.h"

namespace espalier {

// Smaller is better.
struct LevelScore {
  std::uint64_t unreached_hosts = 0;    // pairs without an up-down path
  std::uint64_t hops = 0;               // of all pairs of hosts
  std::int64_t minus_alternatives = 0;  // ports that lead closer, of all pairs of a switch and one with hosts
  std::uint64_t oddities = 0;           // switches with hosts above the bottom, and odd links
  std::uint64_t unreached_switches = 0;
  std::uint64_t odd_links = 0;  // that join no neighboring levels
  auto operator<=>(const LevelScore&) const = default;
};

// O(#links x #switches) byte operations. REQUIRES: the levels of the tree are `level`, which may be more than it can hold.
[[nodiscard]] LevelScore score_of(const FatTree& tree, const IdVector<SwitchId, std::uint32_t>& level);

}  // namespace espalier
