// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A place for the turns that are lost where a root loses a link upward, with all its other turns where they are: another cable
// between the same switches, or else another switch.
//
// The turns within a plane are at one switch r of it, below all its tops (subtree_plan.h). When r loses its link to the top
// x, packets turn no more between x and the others. If they may do so at another switch below the same tops, no cycle
// closes: what comes up to x from there can only go down to where nobody turns, since x leads to r no more. So x hangs on
// the old turns by those at the new switch, and only what passed the lost link changes: 2 300 entries in 139 blocks, where
// moving all turns of the plane changed 21 500 in 3 306 (11 664 hosts).
#pragma once

#include <vector>

#include "core/engines/detours/channel_order.h"
#include "core/repair/broken/working_state.h"
#include "core/repair/detours/switch_turns.h"

namespace espalier {

// Turns over one of several cables between the same two switches, which is lost while another is left.
[[nodiscard]] std::vector<Turn> turns_with_other_cables(const WorkingState& state);
// Admits these over the others, as far as `order` finds no cycle.
void move_to_other_cables(const WorkingState& state, const std::vector<Turn>& turns, ChannelOrder& order);

// Admits turns that no cable is left for elsewhere, as far as `order` finds no cycle. Returns the switches that have lost
// such turns upward, all of which are made up for, ascending.
[[nodiscard]] std::vector<SwitchId> mend_turns(const WorkingState& state, ChannelOrder& order);

}  // namespace espalier
