// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Pairs without an up-down path, such as two spines: one subtree carries them all (after Bogdanski et al. 2012, sect.
// 4).
//
// A subtree root is a switch L that reaches every switch of its connected part by an up-down path. Who cannot reach t
// sends towards L; on the way down to L the packet comes to a switch n that does reach t, and turns upward there:
//
//          T1   T2            T1 -> T2: no up-down path. L reaches both, so T1 sends down to L, and L up to T2.
//           | \/ |            All down-up turns of the fabric then lie on switches above or at L.
//           | /\ |
//           L    M
//
// Why this cannot close a credit loop, if every switch above L has exactly one way down to L (as in any PGFT, degraded
// or not, parallel cables aside). Let U be L and all above it. A cycle of channel dependencies must contain a down-up
// turn x, n, y in U. From y its channels go up within U to some z, then down to w. Were w in U, then z had two ways
// down to L. So w is outside U, and so is everything below it, since what is above a switch of U is in U. Outside U
// there are no turns: the cycle never comes back.
//
// Deviation from the paper: it takes leaf 0 where no leaf reaches everything, and does not ask for the single way down.
// Both lose the promise (papers' Algorithm 1; with two ways down, the dependency n -> y -> z -> x -> n exists). Here
// subtree_root() finds none then, and turns.h takes over. tests/engines/subtree_test.cc draws both cases.
#pragma once

#include "core/engines/lid_targets.h"
#include "core/fabric/forwarding_tables.h"
#include "core/tree/costs.h"
#include "core/tree/fat_tree.h"

namespace espalier {

// The lowest root of this connected part, leaves before others; kNoSwitch when there is none.
[[nodiscard]] SwitchId subtree_root(const FatTree& tree, const UpDownCosts& costs, std::uint32_t part);

// Fills all entries of that part which have no up-down path. REQUIRES: `root` is a subtree_root(); `tables` hold the
// closed form.
void route_through_subtree(const FatTree& tree, const UpDownCosts& costs, const LidTargets& targets, SwitchId root,
                           ForwardingTables& tables);

}  // namespace espalier
