// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Where the report draws which switch: the rows of a tree from left to right, and what goes together in a box.
#pragma once

#include <string>
#include <vector>

#include "core/dragonfly/dragonfly.h"
#include "core/tree/fat_tree.h"

namespace espalier::tools {

struct DrawnGroup {
  std::size_t level = 0;           // from below, or the number of a dragonfly's group
  std::vector<SwitchId> switches;  // at least one
};

// More switches than this are drawn in groups.
inline constexpr std::size_t kMaxSingleSwitches = 120;

// Every switch once; the groups of a level follow one another from left to right: leaves in the order of `hosts`, other
// switches over the middle of what is below them.
//
// Groups: on the two lowest levels, what is connected without any higher switch (a pod); above, what is connected in
// this way and also by the level directly below without any lower one (a plane). Survives damage, as equality of
// neighbors would not.
[[nodiscard]] std::vector<DrawnGroup> drawn_groups(const FatTree& tree, const std::vector<EndportId>& hosts);

// Of a dragonfly: as level the number of the group, of each switch; where they are many, a box for each group.
[[nodiscard]] std::vector<DrawnGroup> drawn_groups(const Dragonfly& dragonfly);

// What the names have in common, if that is more than a letter or two, and how many: "pod3/leaf* (12 switches)".
[[nodiscard]] std::string group_label(const Fabric& fabric, const DrawnGroup& group);

}  // namespace espalier::tools
