// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// How much of a pod's flows each of its ingress channels should take: the fractional half of `balanced`, solved by
// multiplicative weights (S. Arora, E. Hazan, S. Kale, "The multiplicative weights update method", Theory of Computing
// 8, 2012; for multicommodity flows: N. Garg and J. Koenemann, SIAM J. Computing 37, 2007).
//
// If flows could be split at will, the best routes would be a convex flow problem: the least sum of the prices of all
// channels under uniform traffic, and of those of the shares within each pair of pod and destination, because under a
// shift all flows of a pod go to few leaves, which have nearly the same shares. One ingress channel in 72 that leads to
// a switch with one channel of three left should get a third of what the others get; the closed form does not know
// that.
//
// Each round sets prices by the present loads and multiplies the share of every ingress channel by 1 + rate x (how much
// cheaper than the mean of its pod it is). Rate and number of rounds are fixed.
//
// Cost: one addition or two per ingress channel and round: 0.8 million on a tree of 8 640 hosts.
#pragma once

#include <vector>

#include "core/engines/balanced/ingress.h"

namespace espalier {

// Sets the shares of ingress channels; those of channels down stay.
// `num_channels`: those of TreeChannels.
void balance_shares(std::vector<Ingress>& ingress, std::size_t num_switches, std::size_t num_channels);

}  // namespace espalier
