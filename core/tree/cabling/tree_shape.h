// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Whether a ranked fabric is anything like a tree. Ranking gives levels to every fabric, to a torus as well.
#pragma once

#include "core/tree/fat_tree.h"

namespace espalier {

// Whether at most a quarter of the links between switches stay on a level or skip one: else levels say nothing.
[[nodiscard]] bool is_tree_shaped(const FatTree& tree);

}  // namespace espalier
