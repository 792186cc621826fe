// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The exact search for forwarding loops: asked for by verify() only when the channel dependency graph has a cycle.
#pragma once

#include <cstdint>

#include "core/fabric/fabric.h"
#include "core/fabric/forwarding_tables.h"

namespace espalier {

struct PacketLoops {
  std::uint64_t num_entries = 0;  // (switch, LID) pairs where the switch lies on a loop of the LID
  SwitchId at = kNoSwitch;        // the lowest such pair, by switch, then LID
  Lid lid = kNoLid;
};

// For one LID the entries are a function switch -> next switch, whose cycles take O(switches) to find: each walk stops
// where an earlier one has been. O(switches x LIDs), parallel by LID.
[[nodiscard]] PacketLoops find_packet_loops(const Fabric& fabric, const ForwardingTables& tables);

}  // namespace espalier
