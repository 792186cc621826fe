// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Topological ids grouped by node type (gNID of Gliksberg 2022, 3.4.1, Algorithm 4): all hosts of the first type in
// their old order, then all of the second, and so on. A closed form that takes the modulo of these balances each type
// on its own.
//
// Example: XGFT(3;4,4,6;1,2,2), four hosts on each leaf, the last of which is a storage node. Topological ids of
// storage nodes are 3, 7, 11, ...: all the same modulo 4, so one top switch of four carries them all. Grouped they are
// 72, 73, 74, ...: each top switch carries a quarter.
//
// Algorithm 4 numbers without gaps. Then one host that reboots renumbers all of its type behind it, so here regular
// types keep a number for a missing host (type_places.h). On equally filled leaves both are the same.
//
// paper        here
// type(n)      NodeTypes::of_endport
// gNID(n)      NodeOrder::of_endport of the result
#pragma once

#include "core/tree/order/node_order.h"
#include "core/tree/order/node_types.h"

namespace espalier {

// REQUIRES: `order` is a topological_order() on `fabric`; `types` has one entry per end port of it, or is empty.
[[nodiscard]] NodeOrder grouped_order(const Fabric& fabric, const NodeOrder& order, const NodeTypes& types);

}  // namespace espalier
