// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Ftree2 (Gliksberg 2022, 5.1.2, Algorithm 9): Ftree that first asks how often the switch at the far end has been
// entered, from wherever, and only then how often the own cable was used. Where cables are missing this moves routes
// away from the switches on which others had to lean.
//
// Each switch counts ascending entries (a destination comes down through it) and descending entries (it sends up)
// separately, each cable its own uses. Unlike in Ftree every entry counts, second attempts too.
//
// The destinations depend on one another: this runs on one thread.
#pragma once

#include "core/fabric/forwarding_tables.h"
#include "core/tree/costs.h"
#include "core/tree/fat_tree.h"
#include "core/tree/node_order.h"

namespace espalier {

// A step for up_down_engine.h.
[[nodiscard]] ForwardingTables ftree2(const FatTree& tree, const UpDownCosts& costs, const NodeOrder& order);

}  // namespace espalier
