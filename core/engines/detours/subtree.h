// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Pairs without an up-down path, such as two spines: a subtree carries them (after Bogdanski et al. 2012, sect. 4).
//
// A subtree hangs upside down from one switch, its root, mostly a leaf: the root, some switches above it, some above
// those, and from each exactly one group of links back toward the root. Who cannot reach t by an up-down path climbs
// to the nearest switch of the subtree, goes down in it to the first switch n that does reach t, and turns upward
// there, again into the subtree:
//
//          T1   T2            T1 -> T2: no up-down path. L is the root; L, T1 and T2 are its subtree.
//           | \/ |            T1 sends down to L, which reaches T2, and L sends up to T2.
//           | /\ |
//           L    M            M is outside: packets never come down to M and go up again.
//
// All down-up turns of the tables thus lie on one tree. Why that is not enough for freedom from credit loops, and what
// is, see turn_cycles.h; a root is only taken after that check.
//
// Where two paths lead down. Below director switches, a spine comes down to a leaf over several line cards. A subtree
// takes one of them and leaves out the others: a switch is added with everything above it when nothing of that belongs
// to the subtree yet ("whole"). What only the left-out links reach is added piece by piece afterwards; that is how a
// leaf's neighbor over a horizontal link and the other core of a multi-core tree come in (the paper's sibling). A
// switch of which some links upward are not in the subtree is `selective`: what it sends up again must stay inside, so
// its entries for these destinations are chosen anew, among the groups of the subtree.
//
// paper                      here
// sw_root                    Subtree::root
// s_n's subtree (Def. 5.7)   the switches that hold()
// get_sibling_sw()           an up-group of the root to a switch of its own level
// U-turn                     down-up turn
#pragma once

#include <vector>

#include "core/engines/routing_problem.h"

namespace espalier {

struct Subtree {
  SwitchId root = kNoSwitch;
  // Per switch of the subtree but the root: its one group toward the root, among the tree's down-groups; else null.
  IdVector<SwitchId, const PortGroup*> toward;
  // Hops upward to the nearest switch of the subtree; 0 inside, kUnreachable where none is above.
  IdVector<SwitchId, Hops> climb;
  // In ascending order of ids: switches of which not every up-group is in the subtree.
  std::vector<SwitchId> selective;

  [[nodiscard]] bool holds(SwitchId s) const { return s == root || toward[s] != nullptr; }
  // Whether this subtree goes on from `below` to `above`, a neighbor above it.
  [[nodiscard]] bool joins(SwitchId below, SwitchId above) const {
    return toward[above] != nullptr && toward[above]->remote == below;
  }
};

// The subtree above `root`. `complete` says whether it carries every pair: the root reaches all switches of its
// component, and each selective switch reaches through the subtree all that it reaches upward at all.
struct GrownSubtree {
  Subtree subtree;
  bool complete = false;
};
[[nodiscard]] GrownSubtree grow_subtree(const RoutingProblem& problem, SwitchId root);

}  // namespace espalier
