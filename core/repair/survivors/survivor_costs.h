// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The costs of core/tree/costs.h after faults, as a difference: rows that no fault reaches are those of the reference,
// the others are computed anew. A fault reaches a row when a group of parallel links is gone altogether, or the row of
// a neighbor that it is computed from has changed. One lost link at the top of 1 152 switches: about 50 rows. A leaf that
// has lost a link concerns all other leaves, but each in a cost or two, so only these are computed there. Costs to a
// switch that is gone mean nothing; they stay those of the reference, so that nobody's row changes for them.
//
// Equal to UpDownCosts of the damaged fabric under the reference's orientation; tests/repair compares them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/large_array.h"
#include "core/repair/memory/arena.h"
#include "core/repair/survivors/survivors.h"
#include "core/tree/costs.h"
#include "core/tree/fat_tree.h"

namespace espalier {

class SurvivorCosts {
 public:
  // REQUIRES: `tree` and `costs` are those of the reference, and outlive this.
  SurvivorCosts(const FatTree& tree, const UpDownCosts& costs, const Survivors& alive);

  [[nodiscard]] const Hops* cost_row(SwitchId s) const { return cost_[index(s)]; }
  [[nodiscard]] const Hops* down_row(SwitchId s) const { return down_[index(s)]; }
  [[nodiscard]] Hops cost(SwitchId s, SwitchId t) const { return cost_[index(s)][index(t)]; }
  [[nodiscard]] Hops down_cost(SwitchId s, SwitchId t) const { return down_[index(s)][index(t)]; }
  // Whether either row of s differs from the reference's.
  [[nodiscard]] bool has_changed(SwitchId s) const { return changed_[index(s)] != 0; }

  // Whether at least one link of the group is left.
  [[nodiscard]] bool is_left(SwitchId s, const PortGroup& group) const;

 private:
  using Targets = std::vector<std::uint32_t>;  // switches, as places in a row
  void descend();
  void climb();
  [[nodiscard]] bool gather(SwitchId s, const std::vector<Targets>& changes, Targets& targets) const;
  [[nodiscard]] Hops cost_from_above(SwitchId s, std::uint32_t t) const;
  [[nodiscard]] const Hops* own(const std::vector<Hops>& row);
  void keep_gone(std::vector<Hops>& row, std::span<const Hops> reference) const;

  const FatTree& tree_;
  const UpDownCosts& costs_;
  const Survivors& alive_;
  std::size_t stride_;
  std::vector<std::uint32_t> gone_;       // switches
  std::vector<std::uint8_t> lost_group_;  // per switch: a whole group of it is gone
  std::vector<std::uint8_t> changed_;
  LargeArray<const Hops*> down_;
  LargeArray<const Hops*> cost_;
  Arena<Hops> own_;  // rows that changed
};

}  // namespace espalier
