// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The engine `balanced`: a weighted closed form (modulo/weighted_modulo.h), then the fullest cables relieved. Our own; the thesis sketches "remote
// usage" (Gliksberg 2022, 5.1.2) and leaves it there.
//
// What is wrong with the closed form on a damaged tree: it asks neither what a switch can still carry nor what the far
// side can. A switch with one of three cables left gets as many flows as its siblings. And where a switch counts modulo
// 23 instead of 24, its choices no longer line up with those of its siblings, so that some shift finds them all on one
// cable.
//
// Two halves. First the routes of the whole tree at once, as if flows could be split: how much of a pod's flows each of
// its cables to ancestors of a destination should take (balanced_entrances.h, balanced_shares.h); then hosts dealt out
// by these shares, in step, so that the alignment which makes the closed form good at shifts is kept (balanced_deal.h).
// Where that wins nothing the closed form stays; small quasi fat trees also try what pqft and ftree2 have to offer.
//
// Then single destinations: the load of every cable under every shift is known (balanced_loads.h); the routes to one
// destination are taken out, the cheapest ones at present prices are put in (balanced_search.h), and so on with the
// next, again and again (balanced_passes.h): best responses in a congestion game. Every change lowers the sum of prices
// or leaves it, up to the two approximations named there.
//
// Each step is kept only if it leaves the fullest cell, the mean over shifts and the expected maximum of random
// permutations no worse than they were (means: by no more than 1 %), as far as the counted shifts tell.
//
// Bounded time: work is counted, not timed, so that tables depend on nothing but the fabric and the option: so many
// entrances and so many additions per millisecond. Dealing is left out where it would take longer than there is. With
// more hosts fewer shifts are counted, at least two per leaf where memory permits.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/deadline.h"
#include "core/engines/objective.h"
#include "core/fabric/forwarding_tables.h"
#include "core/fabric/host_part.h"
#include "core/tree/costs.h"
#include "core/tree/fat_tree.h"
#include "core/tree/node_order.h"
#include "core/tree/node_types.h"

namespace espalier {

struct BalancedOptions {
  std::uint32_t milliseconds = 1500;  // 0: the better of the weighted and the plain closed form
  std::vector<HostPart> parts = {};   // orders of their own, whose shifts count; empty: NodeOrder::jobs is the order
  NodeTypes types = {};               // of the tree's end ports, for phases between them; empty: all are alike
  Objective objective = {};
};

// With options, a step for up_down_engine.h. The weighted closed form also when the deadline passes before it is done, for what
// it would have then depends on the machine.
[[nodiscard]] ForwardingTables balanced(const FatTree& tree, const UpDownCosts& costs, const NodeOrder& order,
                                        const BalancedOptions& options, const Deadline& deadline = {});

}  // namespace espalier
