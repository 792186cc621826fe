// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Levels that a method proposes, and which of two proposals is better: the judge of rank().
//
// By what routing will make of them (level_score.h):
//
//   1. fewest pairs of hosts without an up-down path, where they are more than a few,
//   2. then least hops between hosts,
//   3. then most alternatives (neighbors on a shortest path, summed over all pairs of host switches): a spine taken for
//      a leaf costs none of the first two, but carries no traffic. So a few pairs of hosts on two spines take a detour,
//      rather than all others the two spines,
//   4. then fewest oddities: switches with hosts above the bottom, odd links, which join no neighboring levels. A leaf with
//      few hosts, taken for the one top above all spines, costs none of the first three and lets the spines reach each
//      other, but it is a leaf.
//
// Levels of a tree, where most hosts can do without the odd links, go first if they have fewer oddities; of two such, those
// with fewer odd links, then with more alternatives on the other links.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/tree/level_score.h"

namespace espalier {

// Trees and their costs are made only where counts of links do not decide: of ten proposals for a tree with wrong cables
// mostly two or three have as few odd links as the best.
class LevelProposal {
 public:
  // REQUIRES: fabric and hosts, per switch, outlive this.
  LevelProposal(const Fabric& fabric, const IdVector<SwitchId, std::uint32_t>& hosts,
                IdVector<SwitchId, std::uint32_t> level);

  [[nodiscard]] const IdVector<SwitchId, std::uint32_t>& level() const { return level_; }
  [[nodiscard]] std::size_t odd_links() const { return odd_.size() / 2; }
  // So few that they may be mistakes.
  [[nodiscard]] bool has_few_odd_links() const;
  // Odd links, and switches with hosts above the bottom.
  [[nodiscard]] std::size_t oddities() const;
  // Whether these are levels of a tree: most hosts can do without the odd links, which are few.
  [[nodiscard]] bool is_tree() const;

  [[nodiscard]] const JudgedLevels& whole() const;
  // On links between neighboring levels alone.
  [[nodiscard]] const JudgedLevels& regular() const;

 private:
  [[nodiscard]] std::unique_ptr<const JudgedLevels> judge(TreeContext context) const;

  const Fabric* fabric_;
  const IdVector<SwitchId, std::uint32_t>* hosts_;
  IdVector<SwitchId, std::uint32_t> level_;
  std::vector<ChannelId> odd_;  // both channels of each link
  mutable std::optional<bool> is_tree_;
  mutable std::unique_ptr<const JudgedLevels> whole_, regular_;
};

// REQUIRES: both are of one fabric.
[[nodiscard]] bool is_better(const LevelProposal& a, const LevelProposal& b);

}  // namespace espalier
