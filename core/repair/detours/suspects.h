// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Who may have lost its path of the reference in a column, among those that have no up-down path: who sends over a lost
// link, or had an up-down path; who sends to a switch whose entry is new, or at which turns have moved; and all who come to
// one of these. The paths of all others are whole, so that nobody has to follow them: on a large tree half of the switches
// have no up-down path to a spine, and a lost link concerns a few of these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/repair/broken/working_state.h"
#include "core/repair/detours/lost_pairs.h"

namespace espalier {

class Suspects {
 public:
  // REQUIRES: both outlive this.
  Suspects(const WorkingState& state, const LostPairs& pairs);

  // Finds them for this LID. False: to look at everybody takes no longer.
  [[nodiscard]] bool find(std::size_t lid);
  // Ascending.
  [[nodiscard]] const std::vector<SwitchId>& found() const { return found_; }

 private:
  void add(SwitchId s);
  [[nodiscard]] bool add_senders_to(SwitchId next);

  const WorkingState& state_;
  const LostPairs& pairs_;
  bool may_search_;
  std::vector<SwitchId> found_;
  std::size_t looks_ = 0;  // at entries, that are left
  std::size_t lid_ = 0;
  SwitchId t_ = kNoSwitch;
  std::uint32_t search_ = 0;
  IdVector<SwitchId, std::uint32_t> found_in_;  // which search
};

}  // namespace espalier
