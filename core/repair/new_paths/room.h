// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Whether there is room for a flow on a path.
#pragma once

#include <cstddef>
#include <vector>

#include "core/repair/broken/working_state.h"
#include "core/repair/reference/class_loads.h"

namespace espalier {

// Whether the flow stays within the limits of all channels from this one on to the switch of the LID, which are in `path` then.
[[nodiscard]] inline bool finds_room(const WorkingState& state, const ClassLoads& loads, ChannelId first,
                                     std::size_t lid, ClassLoads::Flow flow, std::vector<ChannelId>& path) {
  return state.find_path_while(first, lid, path, [&](ChannelId c) { return loads.has_room(c, flow, state.limit(c)); });
}

}  // namespace espalier
