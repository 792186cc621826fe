// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Entries that a fabric has outgrown: made when links or switches were missing that the reference knows by now.
#pragma once

#include "core/repair/reference/reference.h"
#include "core/tree/costs.h"

namespace espalier {

// Whether the entry of s toward t, which leads to `next`, is on no shortest up-down path though there is one. kNoSwitch: it
// leads nowhere, and is none of these.
[[nodiscard]] inline bool is_odd(const UpDownCosts& costs, SwitchId s, SwitchId next, SwitchId t) {
  return next != kNoSwitch && costs.cost(s, t) != kUnreachable && !costs.leads_closer(s, next, t);
}

// Whether tables with so many odd entries follow the orientation. One in 16 may be odd: with more it is not theirs.
[[nodiscard]] inline bool follows_orientation(std::size_t num_odd, const Fabric& fabric) {
  constexpr std::size_t kOddShare = 16;
  return num_odd * kOddShare <= (index(fabric.top_lid()) + 1) * fabric.num_switches();
}

// Drops (kNoPort) from tables that follow the reference's orientation what cannot stand beside the up-down paths that
// there are now: entries of pairs with an up-down path that lead along none of the shortest, and detours that would close
// a cycle of channels with up-down paths. Repair then chooses these anew. Tables that follow no orientation stay as they
// are.
void drop_stray_entries(Reference& reference);

}  // namespace espalier
