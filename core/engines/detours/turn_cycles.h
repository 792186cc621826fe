// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Whether turns in subtrees can close a credit loop together with up-down traffic of any kind.
//
// The paper proves that they cannot: "any upward to downward turn will leave the subtree structure" (Definition 5.7,
// Lemma 5.9). That is so in a PGFT. Where a switch has two paths down into the subtree it is not, and turns on a tree,
// harmless among themselves, close a cycle with the hosts' up-down traffic:
//
//          z               z is above x and y, but belongs to the subtree through y only. Hosts below y send to hosts
//         / \              below x over z. So (n,y) -> (y,z) -> (z,x) -> (x,n), and the turn (x,n) -> (n,y) of the
//        x   y             subtree closes the cycle.
//         \ /
//          n
//
// So it is checked, not believed. The graph: directed port groups; every step up after up, down after up, down after
// down that does not go straight back, as if some packet took each, and the turns that a plan allows. Only what is
// above a root can lie on a cycle, which makes this a small part of the fabric: from a turn a packet goes up, among
// switches above the root, and to come to the next turn it must go down to a switch above a root, so stays above it all
// along.
//
// The answer holds for every destination and every choice between groups and parallel links: a superset of the real
// channel dependencies. Cost: O(#pairs of adjacent groups above the roots), a millisecond.
#pragma once

#include "core/engines/detours/subtree_plan.h"

namespace espalier {

[[nodiscard]] bool turns_close_a_cycle(const FatTree& tree, const SubtreePlan& plan);

}  // namespace espalier
