// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The divider of a switch: how many consecutive topological ids leave through one up-group before the next takes its
// turn (Pi_s of Gliksberg 2022, 4.2.1, Algorithm 5). It replaces Dmodk's product of level-wide arities by what the
// switches below really have: 1 at the bottom; going up, a switch takes the largest of
// divider(below) x up-groups(below).
#pragma once

#include <cstdint>

#include "core/tree/fat_tree.h"

namespace espalier {

// At least 1; saturates at 2^31, far above any number of hosts.
[[nodiscard]] IdVector<SwitchId, std::uint32_t> dividers(const FatTree& tree);

}  // namespace espalier
