// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Links that would draw more traffic than they can carry, because they break the pattern of the tree.
//
// Shortest paths know nothing of capacity: a single cable from a leaf into another pod is two hops shorter than the way
// over the tops, so every flow between the two takes it. On 8 640 hosts two cables that were swapped by mistake made
// the worst shift 240, where the tree without them has 5. Two kinds are found:
//
//   miswired          An uplink to a switch above strangers. Let below(u) be the leaves below u. What most upper
//                     neighbors of a switch s have below them is kin: in a PGFT, its pod. A link s-u is miswired when
//                     most of below(u) is below hardly any other upper neighbor of s. (It takes a majority: if a third
//                     of the uplinks of s look odd, this is no tree of pods, and nothing is said.) Whoever leads a
//                     switch without hosts no further than it leads itself is not counted: leaves without hosts are
//                     ranked above their pod, and two of those had outvoted the only top.
//
//   narrow shortcut   A link within a level or past one, between switches that both serve hosts below them. At worst,
//                     in some shift, all hosts of one side send to the other. The link is too narrow when that is half
//                     as much again, for each cable, as the regular uplinks of either side have to carry anyway.
//
//       M0 M1 M2   M3 M4 M5       A's link to M3 is miswired: below M3 are D, E, F, and of these no other
//        |\|\|\   /|/|/|          upper neighbor of A has any below it.
//        A  B  C  D  E  F
//
// Such links are set aside: no route takes them, unless hosts or switches need them (dispensable_links.h). The literature
// checks cabling against a plan (ibdm's topology matching); here the fabric is its own plan.
//
// Cost: O(#links x #leaves / 64) where nothing is found; hop counts of the remaining tree else.
#pragma once

#include <vector>

#include "core/tree/fat_tree.h"

namespace espalier {

struct WrongLink {
  Irregularity::Kind kind = Irregularity::Kind::kMiswiredLink;  // or kNarrowShortcut
  SwitchId lower = kNoSwitch;
  PortNum port{};  // of `lower`
};

// In the order of (lower, port). REQUIRES: nothing is set aside in `tree` yet.
[[nodiscard]] std::vector<WrongLink> find_wrong_links(const FatTree& tree);

// The same tree, with these links in context().set_aside, and told of first among its irregularities.
[[nodiscard]] TreeContext without_wrong_links(const FatTree& tree, const std::vector<WrongLink>& links);

}  // namespace espalier
