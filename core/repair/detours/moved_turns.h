// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Another leaf for the down-up turns of one that has lost a link.
//
// Detours of switches turn at few leaves: all those between the planes a and b > a at the root of a (subtree_plan.h). When
// that root loses its link to b, no other turn between these two planes may be admitted, since whatever leaves plane a
// at another leaf can come back by the root, and close a cycle. But the root can move as a whole: take back all turns of
// the leaf, and admit the same between the same planes at another one. Below the same switches this is the old graph
// with two leaves exchanged, so it has no cycle, and only those switches change an entry. Where one of these switches
// is gone, a leaf elsewhere serves, below other switches of the same planes; the turns within plane a, which are at the
// switch of a above the leaf, then move to the one above the new leaf.
#pragma once

#include <cstdint>
#include <vector>

#include "core/engines/detours/channel_order.h"
#include "core/repair/broken/working_state.h"

namespace espalier {

// Which turns count as lost.
enum class LostTurns : std::uint8_t {
  kNone,
  kOfUnmended,  // those of a plane whose root is cut off from some of its switches, if that was not mended
  kOfRoots,     // those of a plane whose root is cut off from some of its switches
  kAny,         // those of a plane that has lost any turn
};

// Moves these turns of each leaf, as far as `order` finds no cycle, and returns the switches at which nobody turns any
// more. What cannot be moved stays as far as its links are left. `mended`: roots that are no longer cut off from those
// above them (mended_turns.h).
[[nodiscard]] std::vector<SwitchId> move_turns(const WorkingState& state, LostTurns which,
                                               const std::vector<SwitchId>& mended, ChannelOrder& order);

// Whether a leaf needs move_turns(); without a change. Never where the reference's order lacks up-down steps: what takes
// these could close a cycle with a turn elsewhere.
[[nodiscard]] bool have_lost_turns(const WorkingState& state, LostTurns which);

}  // namespace espalier
