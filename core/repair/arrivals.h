// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Hosts that the reference does not know, on switches that it knows: each takes the ways of a host beside it, the hosts of
// its switch in turn. That is sound whatever the tables are: packets for it use channels one after the other that those
// for its neighbor use, and leave the switch by its own port. It takes no time, and moves no other entry; the next
// reference gives it ways of its own (extend_reference.h).
#pragma once

#include "core/fabric/forwarding_tables.h"
#include "core/repair/survivors.h"

namespace espalier {

// Whether the switch of every end port that has arrived has a LID, so that there are ways to it. Those on no switch need
// none.
[[nodiscard]] bool can_follow_others(const Survivors& alive, const Fabric& now);

// Entries for all LIDs of the end ports that have arrived. REQUIRES: can_follow_others(); tables of `now`, complete but
// for these.
void route_arrivals(const Survivors& alive, const Fabric& now, ForwardingTables& tables);

}  // namespace espalier
