// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Room for the detours of a tree with cables plugged in wrong: one leaf's subtree (subtree.h), by giving up few links.
//
// Where cables are wrong, some switches come down to a leaf by two ways, and detours that turn there may close credit loops
// with the traffic of hosts. Seen from one leaf these are few, and one way of each is mostly a wrong cable:
//
//     T            T comes down to L over a and, by a wrong cable, over b. A detour that turns at L from b to a closes a cycle
//    / \           with hosts below L that send over a and T, and others that T sends down over b. Without the cable from T to b
//   a   b          all that is above L comes down to it by one way, and detours may turn there. The wrong one of two cables is
//    \ /           that whose lower end leads up to the fewest other switches which T's neighbors lead up to.
//     L
#pragma once

#include <cstddef>
#include <optional>

#include "core/engines/routing_problem.h"

namespace espalier {

// The links without which a leaf of each connected component has one way down from all that is above it: as few as possible,
// by a leaf that has an up-down path to all others.
struct ClearedHub {
  FatTree tree;
  std::size_t links = 0;
};

// Empty: none are in the way, no leaf will do, or many more hosts would have no up-down path to each other.
[[nodiscard]] std::optional<ClearedHub> clear_hub(const RoutingProblem& problem);

}  // namespace espalier
