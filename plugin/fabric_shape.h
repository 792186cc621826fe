// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What the log calls the fabric, and what it lists as irregular: a tree is judged as a tree, a dragonfly by its groups,
// since links within a level are what makes it one. Of other topologies only what is odd in any of them is listed.
#pragma once

#include <string>
#include <vector>

#include "core/dragonfly/detect.h"
#include "core/tree/fat_tree.h"

namespace espalier {

struct FabricShape {
  std::string text;                         // "3 levels", "dragonfly of 33 groups", "no tree"
  std::vector<std::string> irregularities;  // one line each, worst first
};

// `groups` are of its fabric, or of another that is no dragonfly and that it is a part of; null: every fabric is told of as a
// tree.
[[nodiscard]] FabricShape fabric_shape(const FatTree& tree, const DetectedGroups* groups);

}  // namespace espalier
