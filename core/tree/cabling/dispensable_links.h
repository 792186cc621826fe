// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Which links a tree can do without: of those that should carry nothing, the ones that some hosts need stay in use.
//
// Needed is what joins parts that nothing else joins, and one shortest up-down path for each pair of hosts that has none
// without these links. Pairs with a host above the leaves may lose theirs and take a detour, if they are few: two service
// hosts on spines that a stray cable happens to join are not worth that everybody's shortest paths take this cable.
#pragma once

#include <vector>

#include "core/tree/cabling/wrong_links.h"

namespace espalier {

// Of `links`, in their order. O(#links x #switches) byte operations, and a walk for each pair that is lost without them.
[[nodiscard]] std::vector<WrongLink> dispensable_links(const FatTree& tree, const std::vector<WrongLink>& links);

// Both channels of each, ascending.
[[nodiscard]] std::vector<ChannelId> channels_of(const Fabric& fabric, const std::vector<WrongLink>& links);

}  // namespace espalier
