// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A cut bound (as in max-flow min-cut) on the worst shift permutation: what no routing can do better.
#pragma once

#include <cstdint>

#include "core/tree/fat_tree.h"
#include "core/tree/tree_channels.h"

namespace espalier {

// Flows that some channel carries under some shift, whatever the routes. Under a shift that sends all hosts of a pod
// out of it, or into it all that are outside, they share the channels that leave the pod; a pod here: switches up to
// some level that are connected among themselves. 0 where nothing leaves any pod. In shares, of which a flow has so many.
[[nodiscard]] std::uint32_t worst_shift_bound(const FatTree& tree, const TreeChannels& channels, std::size_t num_hosts,
                                              std::uint32_t shares_per_flow);

}  // namespace espalier
