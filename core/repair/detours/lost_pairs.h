// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// After a fault: pairs of switches that had an up-down path and have none, the columns in which their entries have to be
// looked at, and the steps between channels that these may take.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/engines/detours/channel_order.h"
#include "core/repair/broken/open_entries.h"
#include "core/repair/broken/working_state.h"
#include "core/repair/detours/moved_turns.h"

namespace espalier {

// Per switch: those that had an up-down path to it and have none, ascending.
[[nodiscard]] SwitchLists find_lost_paths(const WorkingState& state);

class LostPairs {
 public:
  // Lost turns are mended (mended_turns.h) or move to other leaves (moved_turns.h).
  // REQUIRES: all outlive this.
  LostPairs(WorkingState& state, const OpenEntries& open, const SwitchLists& lost_paths, LostTurns moves);

  // Whether turns were mended in place of moving more of them.
  [[nodiscard]] bool has_mended() const { return !mended_.empty(); }

  // Switches that had an up-down path to t and have none.
  [[nodiscard]] std::span<const SwitchId> without_path_to(SwitchId t) const { return lost_paths_.at(index(t)); }
  // Those without an up-down path to the switch of this LID that have their entry on a lost link.
  [[nodiscard]] std::span<const SwitchId> with_lost_entry(std::size_t lid) const { return open_.lost_detours.at(lid); }
  // The LIDs whose columns have to be looked at, ascending.
  [[nodiscard]] std::vector<std::uint32_t> lids() const;
  // Whether holds(s) for each switch whose entry for this LID was chosen anew, or at which nobody turns any more.
  template <class Holds>
  [[nodiscard]] bool all_of_changed_at(std::size_t lid, Holds holds) const {
    if (!std::all_of(moved_.begin(), moved_.end(), holds)) return false;
    const auto found = std::lower_bound(open_.columns.begin(), open_.columns.end(), lid);
    if (found == open_.columns.end() || *found != lid) return true;
    const auto column = static_cast<std::size_t>(found - open_.columns.begin());
    return std::ranges::all_of(open_.at(column), holds) &&
           std::ranges::all_of(open_.shed.at(column),
                               [&](std::uint32_t leaf) { return holds(prepared_.leaves()[leaf]); });
  }

  // Steps that close no cycle: those of the reference, and what own_order() was given besides.
  [[nodiscard]] const ChannelOrder& order() const { return own_order_ ? *own_order_ : prepared_.order(); }
  // The reference's order without lost channels, to be changed.
  ChannelOrder& own_order();

 private:
  void mark_turns(SwitchId above, PortNum port, SwitchId leaf, std::vector<std::uint8_t>& marks) const;
  [[nodiscard]] bool needs(std::uint32_t column) const;
  void add_lids_of_moved_turns(std::vector<std::uint32_t>& lids) const;

  WorkingState& state_;
  const OpenEntries& open_;
  const PreparedReference& prepared_;
  const Fabric& fabric_;
  const SwitchLists& lost_paths_;
  std::optional<ChannelOrder> own_order_;  // the reference's, once there is more
  std::vector<SwitchId> mended_;           // switches that have lost turns upward, which are elsewhere now
  std::vector<SwitchId> moved_;            // those where nobody turns any more
};

}  // namespace espalier
