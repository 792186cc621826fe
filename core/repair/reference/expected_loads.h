// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// How many flows a channel has to expect under a shift that sends everybody far: what comes up to a switch leaves it
// upward in equal parts, and comes down as it went up. Says where loads will be high before anything is counted.
#pragma once

#include <vector>

#include "core/tree/fat_tree.h"

namespace espalier {

// Per channel; zero where none leads to a switch. `hosts`: the switch of each.
[[nodiscard]] std::vector<float> expected_loads(const FatTree& tree, const std::vector<SwitchId>& hosts);

}  // namespace espalier
