// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Levels that most cables of each switch agree with.
//
// A breadth-first search believes the shortest cable: one that joins a core switch to a leaf by mistake makes the core
// switch one of level 1, beside all its other neighbors, whose cables to it then look like shortcuts. Here each switch
// goes to the level at which most of its links join neighboring levels, as long as that makes them more. Leaves that
// have hosts stay.
#pragma once

#include <cstdint>

#include "core/fabric/fabric.h"

namespace espalier {

// `level` and `hosts` by switch. Ends, since each move adds to the links of the whole fabric that join neighboring levels.
[[nodiscard]] IdVector<SwitchId, std::uint32_t> settle(const Fabric& fabric,
                                                       const IdVector<SwitchId, std::uint32_t>& hosts,
                                                       IdVector<SwitchId, std::uint32_t> level);

}  // namespace espalier
