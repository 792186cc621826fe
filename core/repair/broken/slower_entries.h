// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Entries of hosts' LIDs that lead over links which are slower than in the reference, such as one that came up at 1x in place of
// 4x, though other shortest paths avoid these. They are open as well, like those over a lost link; PathChooser gives back their
// old port as long as the slower link has room.
//
// Costs are not those without these links: pairs that have no other shortest path keep theirs, so no turn moves.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/repair/broken/open_entries.h"
#include "core/repair/broken/working_state.h"

namespace espalier {

// Column and switch, as find_open_entries() would have them beside those that are in `open`.
[[nodiscard]] std::vector<std::pair<std::uint32_t, SwitchId>> find_slower_entries(const WorkingState& state,
                                                                                  const OpenEntries& open);

}  // namespace espalier
