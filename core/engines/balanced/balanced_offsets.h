// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The routes of LID offsets 1, 2, ...: for those who spread their traffic over all LIDs of a host, and for those who want
// a path that is still there when the first one breaks.
//
// Offset 0 is what most programs use, and stays what the search made of it. The others are dealt out by the same shares
// (balanced_shares.h) and in the same order, destination by destination: each entrance's credit grows by its share of
// all offsets, pays for the part of the pod's flows that offset 0 brings over it, and the other offsets take what has
// most credit left. So under any shift a cable's flows over all offsets together come as near to its share as quarters,
// or eighths, of flows can; what offset 0 has too much of, the others have less of.
//
// Offsets of a host avoid one another's switches: an entrance whose ends no other offset of the host uses for that pod
// goes first, whatever the credits. So they are disjoint as long as there are any such entrances.
//
// An ancestor with several ways down to the destination takes the next one for each offset.
#pragma once

#include <span>
#include <vector>

#include "core/engines/balanced/balanced_entrances.h"
#include "core/fabric/forwarding_tables.h"

namespace espalier {

// Rewrites the entries of offsets 1 and up of all hosts. REQUIRES: `columns` are those of offset 0, in `tables` already.
void deal_out_offsets(const FatTree& tree, const UpDownCosts& costs, const Cables& cables, const NodeOrder& order,
                      std::span<const Source> sources, const std::vector<Inbound>& inbound, const HostColumns& columns,
                      ForwardingTables& tables);

}  // namespace espalier
