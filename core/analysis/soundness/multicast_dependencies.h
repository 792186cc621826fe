// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What multicast adds to the channel dependency graph. Packets for a group spread over a tree of switches from any of its
// members, on the lanes that SL2VL tables give to their service level, beside unicast packets. Each is sound by itself, and
// both together may still wait for each other in a cycle.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/analysis/soundness/channel_dependencies.h"

namespace espalier {

// Adds all steps of packets with service level `sl` over the tree, whatever switches have members: from each channel of
// the tree to each other channel of the tree that leaves the switch it leads to.
// `links`: the links of the tree, each by one of its channels. Returns the channels that wait for others on the tree, on
// their lanes. REQUIRES: `graph` was made with `lanes`.
std::vector<VirtualChannelId> add_multicast_dependencies(const Fabric& fabric, const Lanes& lanes,
                                                         std::span<const ChannelId> links, std::uint8_t sl,
                                                         ChannelDependencies& graph);

}  // namespace espalier
