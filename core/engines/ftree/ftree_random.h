// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Ftree-Random (Gliksberg 2022, 5.1.1, Algorithm 8): for each destination a tree as Ftree's, with cables tried in
// random order. All packets to one destination still share their way, which plain random routing (randsp.h) does not
// care about; how the trees of different destinations meet is left to chance. Destinations are independent: parallel.
#pragma once

#include <cstdint>

#include "core/fabric/forwarding_tables.h"
#include "core/tree/costs.h"
#include "core/tree/fat_tree.h"
#include "core/tree/node_order.h"

namespace espalier {

// With `seed` bound, a step for up_down_engine.h.
[[nodiscard]] ForwardingTables ftree_random(const FatTree& tree, const UpDownCosts& costs, const NodeOrder& order,
                                            std::uint64_t seed);

}  // namespace espalier
