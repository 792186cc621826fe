// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Where channels are too full under shifts by hosts still, when all have chosen by whole leaves: one flow after the other leaves
// them, by another port of its leaf behind which there is room, until they are not. Shifts between those by whole leaves
// have flows of two classes; most are no fuller than either, and the few that are can be put right in the end, one by one.
//
// Only where many flows are broken, as else leaves would write blocks that nothing else writes: the loads are not settled there.
// Only channels that flows have been put on or taken off are looked at, and only so many shifts, as most cannot be put right
// where much is lost.
//
// Flows whose block is written anyway go first. Nobody else's packets pass a leaf in a column in which none of its neighbors
// sends to it, so that its entry there may change even when all detours have been chosen.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/flat_lists.h"
#include "core/repair/broken/working_state.h"
#include "core/repair/reference/class_loads.h"

namespace espalier {

class FullShifts {
 public:
  // `columns`: LIDs that a fault touches, ascending; others keep their entries.
  // REQUIRES: all outlive this; every entry has its port, and the loads are those of the tables.
  FullShifts(WorkingState& state, const std::vector<std::uint32_t>& columns, ClassLoads& loads);

  void run();

 private:
  struct Passing {  // a flow
    std::uint32_t leaf, lid;
  };
  struct Full {
    ChannelId channel;
    std::uint32_t shift;
  };

  [[nodiscard]] std::vector<Full> find() const;
  [[nodiscard]] FlatLists<std::uint32_t> lids_by_place() const;
  void find_passing(const Full& full, const FlatLists<std::uint32_t>& lids);
  [[nodiscard]] bool passes(SwitchId s, std::size_t lid, ChannelId channel) const;
  bool relieve(const Full& full);
  bool move(const Passing& passing);
  [[nodiscard]] bool may_change(SwitchId x, std::size_t lid) const;
  [[nodiscard]] bool fits(ClassLoads::Flow flow) const;
  [[nodiscard]] unsigned limit(ChannelId c) const;

  WorkingState& state_;
  const PreparedReference& prepared_;
  const std::vector<std::uint32_t>& columns_;
  ClassLoads& loads_;
  std::vector<Passing> passing_;
  std::vector<ChannelId> path_, old_path_;
  std::vector<std::uint8_t> places_;
};

}  // namespace espalier
