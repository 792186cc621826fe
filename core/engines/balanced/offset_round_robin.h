// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The routes of LID offsets 1, 2, ... by deficit round robin: for those who spread their traffic over all LIDs of a
// host, and for those who want a path that is still there when the first one breaks.
//
// Offset 0 is what most programs use, and stays what the search made of it. The others are assigned by the same shares
// (multiplicative_weights.h) and in the same order, destination by destination: the deficit of each ingress channel
// grows by its share of all offsets, pays for the part of the pod's flows that offset 0 brings over it, and the other
// offsets take the largest deficits. So under any shift a channel's flows over all offsets together come as near to its
// share as quarters, or eighths, of flows can; what offset 0 has too much of, the others have less of. A start, which is
// repaired (other_offsets.h).
//
// Offsets of a host avoid one another's switches: an ingress channel whose ends no other offset of the host uses for
// that pod goes first, whatever the deficits. So they are disjoint as long as there are any such channels.
//
// An ancestor with several channels down to the destination takes the next one for each offset.
#pragma once

#include <span>
#include <vector>

#include "core/engines/balanced/host_columns.h"
#include "core/engines/balanced/ingress.h"

namespace espalier {

// Columns: per LID offset those of all hosts; the first are given, the others are assigned.
void assign_offsets(const RoutingProblem& problem, const TreeChannels& channels, std::span<const HostRun> sources,
                    const std::vector<Ingress>& ingress, std::span<HostColumns> columns);

}  // namespace espalier
