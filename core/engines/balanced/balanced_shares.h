// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// How much of a pod's flows each entrance should take: the fractional half of `balanced`.
//
// If flows could be split at will, the best routes would be a convex flow problem: the sum of the prices of all cables
// under even traffic, and of the shares within each pair of pod and destination, because under a shift all flows of the
// pod go to few leaves, which have nearly the same shares. One entrance in 72 that leads to a switch with one cable of
// three left should get a third of what the others get; that is what the closed form does not know.
//
// Solved by repeated small corrections: an entrance dearer than the mean of its pod gives some of its share to those
// that are cheaper. Steps are small enough, and their number is fixed.
//
// Cost: one addition or two per entrance and round: 0.8 million on a tree of 8 640 hosts.
#pragma once

#include <vector>

#include "core/engines/balanced/balanced_entrances.h"

namespace espalier {

// `num_cables`: of both directions. The shares of ways down stay.
void even_out_shares(std::vector<Inbound>& inbound, std::size_t num_switches, std::size_t num_cables);

}  // namespace espalier
