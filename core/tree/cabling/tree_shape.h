// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Whether a ranked fabric is anything like a tree. Ranking gives levels to every fabric, to a torus as well.
#pragma once

#include <vector>

#include "core/tree/fat_tree.h"

namespace espalier {

// Links between switches, by the levels of their ends.
struct LinkLevels {
  std::size_t all = 0;
  std::size_t within = 0;    // a level
  std::size_t skipping = 0;  // a level or more
};
[[nodiscard]] LinkLevels link_levels(const FatTree& tree);

// Whether at most a quarter of the links between switches stay on a level or skip one: else levels say nothing.
[[nodiscard]] bool is_tree_shaped(const FatTree& tree);

// Both channels of each link between two switches of one level of which the lower has switches below it but no hosts.
[[nodiscard]] std::vector<ChannelId> links_between_tops(const FatTree& tree);

}  // namespace espalier
