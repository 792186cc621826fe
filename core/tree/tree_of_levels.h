// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// From levels to a tree: which end of a link within a level is the upper one.
#pragma once

#include <cstdint>

#include "core/tree/fat_tree.h"

namespace espalier {

// REQUIRES: `fabric` outlives the tree.
[[nodiscard]] FatTree tree_of_levels(const Fabric& fabric, const IdVector<SwitchId, std::uint32_t>& level,
                                     TreeContext context);

}  // namespace espalier
