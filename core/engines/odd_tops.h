// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Top switches that a fabric is better off without, as ways of others.
//
// Where tops have several ways down to a leaf, as below director switches, and cables are missing, no subtree
// (subtree.h) may carry the detours of switches: it comes to most tops over one line card, to a top without a cable to that
// card over another one, and a packet that comes down to that other card turns at the wrong place. A few such tops would send
// the whole fabric to an orientation from one root, which costs hosts several times their bandwidth.
//
//     T1  T2  T3         L's subtree: c1 with T1 and T2, but T3 only over c2. T3 has no up-down path to T1; it would
//      |\/| \/|          come down to c2, which goes up to T1 itself: a turn outside the subtree.
//      |/\| /\|          With T3 below c2 (and whatever else it is cabled to) the path is c2 - T1: upward, no turn.
//     c1   c2  ..
//       \  /
//        L
//
// So these tops are laid below their neighbours. They keep their LIDs reachable, up and down like those of leaves, and
// lose what passed through them.
#pragma once

#include <optional>

#include "core/tree/costs.h"
#include "core/tree/fat_tree.h"

namespace espalier {

// The same tree with as few tops below their neighbours as make one leaf's subtree complete; empty if none are in the
// way, or more than a quarter of all tops. At most 64 subtrees are grown.
struct LaidTops {
  FatTree tree;
  std::size_t count = 0;
};
[[nodiscard]] std::optional<LaidTops> lay_odd_tops(const FatTree& tree, const UpDownCosts& costs);

}  // namespace espalier
