// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The switches that a switch was meant to have above it, as its siblings show them: what the modulo of stable_form.h is
// over.
#pragma once

#include <vector>

#include "core/tree/costs.h"
#include "core/tree/fat_tree.h"

namespace espalier {

// All switches directly above s and above its siblings, ascending; siblings are those of the level of s that have an upper
// switch in common with s. Its own alone, if these are less than a quarter of them.
[[nodiscard]] std::vector<SwitchId> parents_above(const FatTree& tree, SwitchId s);

// Those of them that have hosts below them which s has not: a switch that stands high only
// for want of hosts is no parent.
[[nodiscard]] std::vector<SwitchId> leading_further(const FatTree& tree, const UpDownCosts& costs, SwitchId s,
                                                    std::vector<SwitchId> parents);

}  // namespace espalier
