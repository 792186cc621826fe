// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What multicast adds to the channel dependency graph. Packets for a group spread over a tree of switches from any of its
// members, on the lanes that SL2VL tables give to their service level, beside unicast packets. Each is sound by itself, and
// both together may still wait for each other in a cycle.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/fabric/fabric.h"
#include "core/fabric/lanes.h"

namespace espalier {

// From a lane of a channel of the tree to one of another that leaves the switch it leads to.
struct MulticastStep {
  ChannelId from;
  std::uint8_t vl;
  PortNum port;
  std::uint8_t next_vl;
};

// All steps of packets with service level `sl` over the tree, whatever switches have members: from each channel of the
// tree to each other channel of the tree that leaves the switch it leads to.
// `links`: the links of the tree, each by one of its channels.
[[nodiscard]] std::vector<MulticastStep> multicast_steps(const Fabric& fabric, const Lanes& lanes,
                                                         std::span<const ChannelId> links, std::uint8_t sl);

// Lanes (bit v: VL v) on which such packets can be on the channel that leaves `s` by `out`: those of members at `s`, of the
// switch itself, and what comes in by other ports of the tree.
[[nodiscard]] std::uint32_t multicast_lanes(const Fabric& fabric, const Lanes& lanes, SwitchId s,
                                            std::span<const PortNum> tree_ports, PortNum out, std::uint8_t sl);

}  // namespace espalier
