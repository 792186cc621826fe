// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Compares a ranked fabric with what a perfect fat tree would be, switch by switch against its own level.
#pragma once

#include <cstdint>
#include <vector>

#include "core/fabric/fabric.h"
#include "core/tree/cabling/irregularity.h"

namespace espalier {

// Worst kind first, then by switch id. `level` as in levels.h.
[[nodiscard]] std::vector<Irregularity> find_irregularities(const Fabric& fabric,
                                                            const IdVector<SwitchId, std::uint32_t>& level);

}  // namespace espalier
