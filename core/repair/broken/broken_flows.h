// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Which flows open entries break: those of leaves whose path by the reference's tables passes one, though an up-down path is
// left. Of all columns, on all processors.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/repair/broken/open_entries.h"
#include "core/repair/broken/working_state.h"

namespace espalier {

class BrokenFlows {
 public:
  BrokenFlows(const WorkingState& state, const OpenEntries& open);
  // Leaves by their places, ascending, whose flow to the LID of a column is broken; none unless it is a host's.
  [[nodiscard]] std::span<const std::uint32_t> to(std::size_t column) const {
    return {leaves_.data() + first_[column], first_[column + 1] - first_[column]};
  }
  // Of all columns.
  [[nodiscard]] std::size_t count() const { return leaves_.size(); }

 private:
  std::vector<std::uint32_t> first_;  // per column, and one more
  LargeVector<std::uint32_t> leaves_;
};

}  // namespace espalier
