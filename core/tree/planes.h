// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Planes: which switches of different pods stand at the same place, told by who is above them.
//
// In an XGFT the switches of a level that have their parents in common form a plane, one of each pod. With the links
// that are left: a switch joins the plane to which most of its parents already lead, a vote that neither a lost link nor
// a swapped one changes (label propagation; U. N. Raghavan, R. Albert, S. Kumara, Physical Review E 76, 036106, 2007).
// Where parents are in turn of several pods, their planes vote in place of them.
#pragma once

#include "core/tree/fat_tree.h"

namespace espalier {

// Per switch the lowest of its plane; a switch without parents is a plane of its own. O(port groups).
[[nodiscard]] IdVector<SwitchId, SwitchId> planes(const FatTree& tree);

// Whether parents in the order of GUIDs are mostly in the order of planes too: three of four neighbors. Then the order of
// GUIDs serves as well, and does not change when the lowest switch of a plane is lost.
[[nodiscard]] bool follow_guids(const IdVector<SwitchId, SwitchId>& planes, const FatTree& tree);

}  // namespace espalier
