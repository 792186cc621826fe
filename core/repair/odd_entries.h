// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Entries that work, but are on no shortest up-down path though there is one.
#pragma once

#include "core/fabric/fabric.h"
#include "core/tree/costs.h"

namespace espalier {

// The entry of s toward t leads to `next`; kNoSwitch: nowhere.
[[nodiscard]] inline bool is_odd(const UpDownCosts& costs, SwitchId s, SwitchId next, SwitchId t) {
  return next != kNoSwitch && costs.cost(s, t) != kUnreachable && !costs.leads_closer(s, next, t);
}

// Whether tables with so many odd entries follow the orientation. One in 16 may be odd: with more it is not theirs.
[[nodiscard]] inline bool follows_orientation(std::size_t num_odd, const Fabric& fabric) {
  constexpr std::size_t kOddShare = 16;
  return num_odd * kOddShare <= (std::size_t{index(fabric.top_lid())} + 1) * fabric.num_switches();
}

}  // namespace espalier
