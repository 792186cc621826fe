// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Topological ids that serve both kinds of traffic: phases between node types, and everybody with everybody.
//
// Words. A path that meets at level m turns downward there; the switches up to level m - 1 fall into pods;
// S = divider of level m = paths from a pod up to level m. A host's slot is its id modulo S: the way by which the
// other pods reach it.
//
// What each kind wants. Under a shift permutation the hosts of one pod send to a window of consecutive hosts. Every
// window is spread evenly over the slots if and only if the slots repeat from pod to pod: a host that leaves
// the window at one end must be followed by one of the same slot at the other. Algorithm 4 (grouped_order.h) numbers
// each type through the whole fabric, so its slots do not repeat: shifts lose. Topological ids repeat, but where the
// hosts of a pod outnumber S they deal neighbors out to different slots, and hosts on the same port of each leaf
// to few: storage-in phases lose. Storage-out phases (each storage node to all hosts of a leaf) want the hosts of one
// leaf on few slots, and those of different leaves on different ones.
//
// So here, for each m with more hosts per pod than slots:
//   1. In each pod the types are merged evenly, each in topological order.
//   2. The list is cut into G pieces of equal weight, G the largest divisor of S that is at most the number of leaves;
//      piece g owns slots g S/G .. (g+1) S/G - 1. In a regular tree a piece is a leaf.
//   3. In a piece hosts are dealt type by type, each to the slot with the least weight so far.
// For other m, and for hosts of the same leaf, ids stay topological but for the order of types on a leaf.
//
// Example: XGFT(3;4,4,6;1,2,2), 16 hosts per pod, S = 4, G = 4: all hosts of leaf a get slot a. The four storage nodes
// of a pod have a slot each, and so have the targets of four storage nodes that send to a leaf each: both phases have
// congestion risk 1, where Algorithm 4 has 1 and 3, topological ids 4 and 4. Shifts: 4 for all three.
//
// Where damage makes a host leave its slot, it stays in its piece: there it meets traffic to
// its own leaf, and other hosts of its type as little as before.
//
// In a piece the dealing begins one slot later each time that the pieces have gone round the slots of level m - 1, so
// that of the hosts on one port of each leaf few share a switch of that level: under damage these are each other's
// alternatives.
//
// Regular types keep a place for a missing host (type_places.h).
#pragma once

#include <vector>

#include "core/tree/fat_tree.h"
#include "core/tree/order/node_order.h"
#include "core/tree/order/node_types.h"

namespace espalier {

// Ids whose slot is meant. Pieces are 0 .. width-1, width .. 2 width-1, ...
struct SlottedOrder {
  NodeOrder ids;
  std::uint32_t slots = 1;  // S
  std::uint32_t width = 1;  // slots of a piece; S where nothing is dealt
};

// One order per level m at which a path may turn, 0 .. num_levels()-1; `hosts` and `of_switch` are those of `order`.
// REQUIRES: `order` is a topological_order() on `tree`; `types` has one entry per end port, or is empty.
[[nodiscard]] std::vector<SlottedOrder> interleaved_orders(const FatTree& tree, const NodeOrder& order,
                                                           const NodeTypes& types);

}  // namespace espalier
