// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Which switches can reach each other at all, whatever the tables say.
#pragma once

#include <cstdint>

#include "core/fabric/fabric.h"

namespace espalier {

// Component number per switch, counted from 0 in the order of each component's lowest switch id. O(channels).
[[nodiscard]] IdVector<SwitchId, std::uint32_t> connected_components(const Fabric& fabric);

}  // namespace espalier
