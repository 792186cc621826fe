// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// How good levels are, by what routing will make of them: what rank() compares proposals by (level_proposal.h).
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/tree/costs.h"
#include "core/tree/fat_tree.h"

namespace espalier {

// Smaller is better.
struct LevelScore {
  std::uint64_t many_unreached = 0;     // unreached_hosts where these are more than a few (level_reach.h)
  std::uint64_t hops = 0;               // of all pairs of hosts; a few unreached ones count as far as cables go
  std::int64_t minus_alternatives = 0;  // ports that lead closer, of all pairs of a switch and one with hosts
  std::uint64_t unreached_hosts = 0;    // pairs without an up-down path
  std::uint64_t oddities = 0;           // switches with hosts above the bottom, and odd links
  std::uint64_t unreached_switches = 0;
  std::uint64_t odd_links = 0;  // that join no neighboring levels
  auto operator<=>(const LevelScore&) const = default;
};

// Levels that are judged. What decides first is looked at first, and what follows only where that is the same:
// O(#links x #switches) byte operations either way.
class JudgedLevels {
 public:
  // REQUIRES: the levels of the tree are `level`, which may be more than it can hold.
  JudgedLevels(FatTree tree, IdVector<SwitchId, std::uint32_t> level);

  [[nodiscard]] bool is_better_than(const JudgedLevels& other) const;
  [[nodiscard]] const LevelScore& score() const;
  // That of score(), which takes longer.
  [[nodiscard]] std::int64_t minus_alternatives() const;

 private:
  [[nodiscard]] const LevelScore& reach() const;  // without alternatives and oddities
  void add_reach(SwitchId s, LevelScore& score) const;
  void add_unreached(SwitchId s, LevelScore& score) const;
  [[nodiscard]] bool has_unreached(SwitchId s) const;
  [[nodiscard]] std::uint64_t hops_of_unreached() const;
  [[nodiscard]] bool carries_traffic(SwitchId s) const;
  [[nodiscard]] std::uint64_t alternatives(SwitchId s) const;
  [[nodiscard]] std::uint64_t alternatives(SwitchId s, std::size_t first) const;

  IdVector<SwitchId, std::uint32_t> level_;
  FatTree tree_;
  UpDownCosts costs_;
  std::vector<std::uint32_t> hosts_;     // per switch
  std::vector<std::uint8_t> has_hosts_;  // per switch: 255 or 0
  mutable std::optional<LevelScore> reach_, score_;
  mutable std::optional<std::int64_t> minus_alternatives_;
};

}  // namespace espalier
