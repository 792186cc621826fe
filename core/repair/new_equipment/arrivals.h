// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What the reference does not know takes the paths of what it knows, at once: no other entry moves, and nothing has to be
// prepared. The next reference gives it paths of its own (extend_reference.h).
//
// A host on a known switch takes the paths of a host beside it, the hosts of its switch in turn. That is sound whatever the
// tables are: packets for it use channels one after the other that those for its neighbor use, and leave the switch by its
// own port.
//
// A new switch hangs on one neighbor, known or hung before: packets for it, and for hosts on it, go to that neighbor on
// the neighbor's paths, and then over one link; what it sends itself goes over that link, and on as the neighbor sends.
// New switches so become trees, each hung on a known switch. Within a tree packets go up and then down, so no dependency
// closes a cycle there; and none leads from the fabric into a tree and back, since who goes in stays.
#pragma once

#include "core/fabric/forwarding_tables.h"
#include "core/repair/survivors/survivors.h"

namespace espalier {

// Whether the switch of every end port that has arrived has a LID, so that there are paths to it, and every new switch is
// connected to a known one that has. End ports on no switch need none.
[[nodiscard]] bool can_follow_others(const Survivors& alive, const Fabric& now);

// Entries for the LIDs of new switches, and all of their own but those for hosts that have arrived. REQUIRES:
// can_follow_others(); tables of `now`, complete but for the entries of and for what is new.
void route_new_switches(const Survivors& alive, const Fabric& now, ForwardingTables& tables);

// Entries for all LIDs of the end ports that have arrived. REQUIRES: can_follow_others(); tables of `now`, complete but
// for these.
void route_arrivals(const Survivors& alive, const Fabric& now, ForwardingTables& tables);

}  // namespace espalier
