// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Top switches that a fabric is better off without as intermediate switches: they are demoted below their neighbors.
//
// Where tops have several paths down to a leaf, as below director switches, and links are missing, there may be no
// subtree (subtree.h) for the detours of switches: it comes to most tops over one line card, to a top without a link
// to that card over another one, and packets that come down to that other card turn at the wrong place. A few such tops
// would send the whole fabric to an orientation from one root, which costs hosts several times their bandwidth.
//
//     c1: T1 T2         The cards c1 and c2 are above L, the tops T1 to T3 above the cards; T3 lacks its link to c1.
//     c2: T1 T2 T3      L's subtree is c1, T1, T2, and c2, T3. T3 has no up-down path to T1; it would come down to c2,
//     L:  c1 c2         which goes up to T1 itself: a turn outside the subtree. With T3 below c2 the path climbs.
//
// So these tops are demoted below their neighbors. They are reached, and send, upward and downward like leaves, and
// lose what passed through them.
#pragma once

#include <optional>

#include "core/engines/routing_problem.h"

namespace espalier {

// The same tree with as few tops below their neighbors as make one leaf's subtree complete; empty if none are in the
// way, or more than a quarter of all tops. At most 64 subtrees are grown.
struct DemotedTops {
  FatTree tree;
  std::size_t count = 0;
};
[[nodiscard]] std::optional<DemotedTops> demote_odd_tops(const RoutingProblem& problem);

}  // namespace espalier
