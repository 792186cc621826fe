// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Takes the broken flows out of the loads, along their paths of the reference. Many at once, a hop of each in turn, as in
// path_warmer.h: the memory of one is on its way while the others are looked at. Since nothing is chosen on the way, and what
// is taken out may be taken out in any order, the same walk does both.
#pragma once

#include "core/repair/broken/broken_flows.h"
#include "core/repair/broken/open_entries.h"
#include "core/repair/broken/working_state.h"
#include "core/repair/reference/class_loads.h"

namespace espalier {

// Of the loads, but for those of lost links, which nobody asks for.
void take_out(const WorkingState& state, const OpenEntries& open, const BrokenFlows& broken_flows, ClassLoads& loads);

}  // namespace espalier
