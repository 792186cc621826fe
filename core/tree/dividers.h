// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The divider of a switch: how many consecutive topological ids leave through one up-group before the next takes its
// turn (Pi_s of Gliksberg 2022, 4.2.1, Algorithm 5). It replaces Dmodk's product of level-wide arities by what the
// switches below really have: 1 at the bottom; going up, a switch takes the largest of
// divider(below) x up-groups(below).
//
// Only groups that climb a level count. The thesis knows no others; on real fabrics leaves are cabled to each other,
// and such a link carries little. Counted, it makes the leaf at its upper end a middle and every divider above too
// large by a leaf's whole up-arity: on a 648-port director with rack switches in pairs the worst channel had 67 392 of
// the 419 256 host flows, and has 5 376 now.
#pragma once

#include <cstdint>

#include "core/tree/fat_tree.h"

namespace espalier {

// At least 1; saturates at 2^31, far above any number of hosts.
[[nodiscard]] IdVector<SwitchId, std::uint32_t> dividers(const FatTree& tree);

}  // namespace espalier
