// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Whole hosts by fractional shares: a weighted round robin with deficit counters (M. Shreedhar and G. Varghese,
// "Efficient fair queuing using deficit round robin", SIGCOMM 1995), with affinities.
//
// Destinations come in topological order. The deficit of a channel grows by its share with every destination and pays
// for the flows that it takes; the channel with the largest deficit takes the next. So whatever stretch of destinations
// a shift makes a pod send to, every channel gets its share of them, give or take one or two.
//
// Where all shares are equal, deficits are too, and the order of the channels decides, as in the closed form. Elsewhere
// hysteresis keeps the closed form's choice while its deficit is not much less than the largest: pods that could do the
// same stay aligned.
//
// Where flows to a host come in already, further pods have an affinity, most of all to the preferred ancestor, which is
// chosen for all pods: flows that come down one channel from everywhere are as many as the destinations behind it,
// whatever the permutation. For that a channel may take a few more in a row than its share, and gets fewer afterwards.
//
// Where a leaf does not reach the chosen ingress channel, because a channel of its own is missing, the next one serves
// it.
#pragma once

#include <vector>

#include "core/engines/balanced/host_columns.h"
#include "core/engines/balanced/ingress.h"

namespace espalier {

// Rewrites the columns, which are the closed form's. `sources` as find_ingress() had them.
void assign_hosts(const RoutingProblem& problem, const TreeChannels& channels, std::span<const HostRun> sources,
                  const std::vector<Ingress>& ingress, HostColumns& columns);

}  // namespace espalier
