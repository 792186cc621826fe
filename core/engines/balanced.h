// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The engine `balanced`: Dmodc's closed form, then the fullest cables relieved. Our own; the thesis sketches "remote
// usage" (Gliksberg 2022, 5.1.2) and leaves it there.
//
// What is wrong with the closed form on a damaged tree: it asks neither what a switch can still carry nor what the far
// side can. A switch with one of three cables left gets as many flows as its siblings. And where a switch counts modulo
// 23 instead of 24, its choices no longer line up with those of its siblings, so that some shift finds them all on one
// cable.
//
// What this does: it knows the load of every cable under every shift (balanced_loads.h), takes the routes to one
// destination out, chooses the cheapest ones at present prices (balanced_search.h), puts these in, and goes on with the
// next destination: best responses in a congestion game. Every change lowers the sum of prices or leaves it, up to the
// two approximations named there. In the end the tables are used only if they are not worse than the closed form, by
// fullest cell and by expected maximum of random permutations.
//
// Batches: destinations an eighth of all hosts apart are chosen at the same time, from the same prices. In a tree with
// eight or more pods they have no cell in common: a pod's cable to destinations d and d' is used in shifts that differ.
//
// Bounded time: the search stops after a fixed number of additions per millisecond that it may take. It counts and does
// not look at the clock, so that tables depend on nothing but the fabric and the option. With more hosts fewer shifts
// are counted, at least one per leaf.
#pragma once

#include <cstdint>

#include "core/fabric/forwarding_tables.h"
#include "core/tree/costs.h"
#include "core/tree/fat_tree.h"
#include "core/tree/node_order.h"

namespace espalier {

// A step for up_down_engine.h. 0 milliseconds: the closed form.
[[nodiscard]] ForwardingTables balanced(const FatTree& tree, const UpDownCosts& costs, const NodeOrder& order,
                                        std::uint32_t milliseconds);

}  // namespace espalier
