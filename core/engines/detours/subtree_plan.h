// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Which subtree carries which pair of one connected component.
//
// One subtree is enough (the paper's way), but all detours of the fabric then meet at the links of one leaf. Several
// leaves can share the work, if the pairs are dealt out with care. Cut the component at its leaves, and it falls into
// planes: switches that reach each other without passing a leaf, in a two-level tree single spines, below directors a
// director each. Detours between planes turn at leaves, detours within a plane mostly above them. Number the planes,
// give each one a root, and let
//
//     a pair of planes a and b turn at the root of the plane with the lower number,        between(a,b) = root min(a,b)
//
//     planes   1    2    3        pairs 1-2, 1-3 at L1: all turns of plane 1
//              |\  /|\  /|              2-3      at L2: those that plane 2 has left
//              L1   L2   L3             within 3 at L3
//
// Why no cycle of channel dependencies arises. Suppose there is one, and let a be the lowest of the planes that it
// visits. Among these planes, packets enter and leave plane a only at its own root, since between(a,b) = root a for all
// b > a. But who goes up from a switch of a subtree into the subtree does not come down in it again: down there leads
// one path only, the one by which it came. If only one plane is visited, all turns are on its one subtree, and the same
// holds. No other way of dealing out pairs would do: color the pair {a,b} by its leaf; a closed walk over planes whose
// successive colors differ is a credit loop, and a complete graph without such a walk has a vertex of one color
// (A. Yeo, "A note on alternating cycles in edge-colored graphs", 1997); remove it and repeat, and the numbering is
// there.
//
// Damage. A plane that cannot reach every leaf by up-down paths ("torn") sends to leaves through other planes, whatever
// their numbers, so torn planes come first and share one root; so do leaves, which belong to no plane. On a tree that
// lost links in each plane one subtree is left, and where no switch reaches all others, none: see complete_tables.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/engines/detours/subtree.h"

namespace espalier {

struct SubtreePlan {
  // Fewer than 256. [0] also carries all pairs with a leaf. Empty: no switch of this component reaches all others, or no
  // root passes the check.
  std::vector<Subtree> subtrees;
  // Per switch: the subtree of its plane.
  IdVector<SwitchId, std::uint32_t> own;

  [[nodiscard]] const Subtree& between(SwitchId s, SwitchId t) const { return subtrees[std::min(own[s], own[t])]; }
};

// `away_from` does not become a root, if another switch can be: the subnet manager's leaf (paper, 4.2).
[[nodiscard]] SubtreePlan plan_subtrees(const RoutingProblem& problem, std::uint32_t component, SwitchId away_from);

// The plan with one subtree only.
[[nodiscard]] SubtreePlan plan_one_subtree(const RoutingProblem& problem, std::uint32_t component, SwitchId away_from);

}  // namespace espalier
