// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Growth: a reference that knows new equipment as well; known equipment keeps its LIDs and position.
#pragma once

#include "core/base/result.h"
#include "core/repair/reference/reference.h"
#include "core/repair/survivors/survivors.h"

namespace espalier {

// Whether repair can do without knowing what is new: end ports, links between known switches, and new switches (see
// arrivals.h), as long as what is left of the reference's links joins whatever the present ones join.
[[nodiscard]] bool covers(const Survivors& alive, const Fabric& now);

// All of `now`, and of `reference` what is gone and does not contradict it: ghosts lose ports and LIDs that others have
// now. The orientation is that of the reference where it has one, new switches are ranked with all others. Entries of
// the reference stay where their port leads to the same switch, others are kNoPort but for the last hop.
// Errors: a fabric that cannot be ranked.
[[nodiscard]] Result<Reference> extend(const Reference& reference, const Fabric& now);

}  // namespace espalier
