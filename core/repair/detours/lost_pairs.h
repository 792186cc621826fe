// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// After a fault: pairs of switches that had an up-down path and have none, the columns in which their entries have to be
// looked at, and the steps between channels that these may take.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/engines/detours/channel_order.h"
#include "core/repair/detours/moved_turns.h"
#include "core/repair/open_entries.h"
#include "core/repair/working_state.h"

namespace espalier {

class LostPairs {
 public:
  // Lost turns are mended (mended_turns.h) or move to other leaves (moved_turns.h).
  LostPairs(WorkingState& state, LostTurns moves);

  // Whether turns were mended in place of moving more of them.
  [[nodiscard]] bool has_mended() const { return !mended_.empty(); }

  // Switches that had an up-down path to t and have none.
  [[nodiscard]] const std::vector<SwitchId>& without_path_to(SwitchId t) const { return without_path_to_[t]; }
  // The LIDs whose columns have to be looked at, ascending.
  [[nodiscard]] std::vector<std::uint32_t> lids(const OpenEntries& open) const;

  // Steps that close no cycle: those of the reference, and what own_order() was given besides.
  [[nodiscard]] const ChannelOrder& order() const { return own_order_ ? *own_order_ : prepared_.order(); }
  // The reference's order without lost channels, to be changed.
  ChannelOrder& own_order();

 private:
  void find_lost_paths();
  [[nodiscard]] bool turns_at(SwitchId leaf, std::size_t lid, SwitchId t) const;
  [[nodiscard]] bool needs(std::uint32_t column, const OpenEntries& open) const;
  void add_lids_of_moved_turns(std::vector<std::uint32_t>& lids) const;

  WorkingState& state_;
  const PreparedReference& prepared_;
  const Fabric& fabric_;
  IdVector<SwitchId, std::vector<SwitchId>> without_path_to_;
  std::optional<ChannelOrder> own_order_;  // the reference's, once there is more
  std::vector<SwitchId> mended_;           // switches that have lost turns upward, which are elsewhere now
  std::vector<SwitchId> moved_;            // those where nobody turns any more
};

}  // namespace espalier
