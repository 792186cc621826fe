// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Weights of LID offsets as whole shares of a flow, so that loads stay whole numbers and no sum depends on its order.
#pragma once

#include <cstdint>
#include <vector>

#include "core/fabric/choices/lid_choices.h"

namespace espalier {

struct OffsetShare {
  std::uint8_t offset = 0;
  std::uint16_t shares = 1;

  bool operator==(const OffsetShare&) const = default;
};

struct Shares {
  std::uint32_t per_flow = 1;
  std::vector<std::vector<OffsetShare>> of_list;  // per list of choices
};

// The parts in which flows are split where their weights are not whole numbers with the same sum.
inline constexpr std::uint32_t kPartsOfAFlow = 2520;  // 1 to 10 divide it

// By the largest remainder (Hamilton's method), so that each weight is met to a part. Offsets count modulo `num_offsets`.
[[nodiscard]] Shares shares_of_lists(const LidChoices& choices, std::size_t num_offsets);

}  // namespace espalier
