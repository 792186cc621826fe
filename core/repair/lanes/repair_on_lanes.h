// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Repair of tables on any fabric, with virtual lanes or on one, whatever engine made them.
//
// What holds on one lane (core/repair/README.md) holds here: a pure function of the reference and of the fabric as it is now,
// by which entries stay that still lead to their LID. So do the service levels of paths, as far as they can: a host
// that has asked for a path uses its level until it asks again.
//
// Every dependency of the reference's routes stays allowed at first, in an order of virtual channels in which none closes a cycle;
// new ones are added to it one by one. On what no reference knows (new switches, hosts, links) the same search finds
// paths: a switch without an entry for a LID gets one, whatever the reason why it has none.
#pragma once

#include "core/base/result.h"
#include "core/repair/lanes/prepared_lanes.h"
#include "core/repair/repair.h"

namespace espalier {

// Errors: some pair finds no path on the lanes of the reference; a reference that is not sound.
[[nodiscard]] Result<PatchedRepair> repair_on_lanes(const PreparedLanes& prepared, const Fabric& now);

}  // namespace espalier
