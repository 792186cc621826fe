// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The smallest engine that there can be, as an example for guests: of all ports that lead closer it takes the first, for
// every destination. Known as "first shortest path"; it loads one spine with everything.
#pragma once

#include "core/fabric/forwarding_tables.h"
#include "core/tree/costs.h"
#include "core/tree/fat_tree.h"
#include "core/tree/node_order.h"

namespace espalier::test {

// A step for up_down_engine.h.
[[nodiscard]] ForwardingTables first_port(const FatTree& tree, const UpDownCosts& costs, const NodeOrder& order);

}  // namespace espalier::test
