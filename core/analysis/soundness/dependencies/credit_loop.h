// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Finds a cycle of the channel dependency graph, and tells it link by link.
//
// Two stages, because nearly every call gets sound tables:
//   1. A depth-first search on the bitsets themselves, until it comes back to its own path. It looks at 64 dependencies
//      at a time, so it takes a few steps for each channel, however many it depends on. Finding none is the whole cost.
//   2. Only where there is a cycle the bitsets become a boost::graph (in compressed sparse rows), boost::strong_components
//      (Tarjan) leaves the cycles, and a breadth-first search from their channels picks a short one: a person has to
//      read it. A copy for each sweep would take 13 ms (1 million dependencies).
#pragma once

#include <string>
#include <vector>

#include "core/analysis/soundness/dependencies/channel_dependencies.h"

namespace espalier {

// A cycle: each channel depends on the one after it, the last on the first. Empty: there is none. Starts with its
// lowest channel. It is the shortest of those through the first 32 channels that lie on cycles: in practice the
// shortest of all. Depends on nothing but the graph.
[[nodiscard]] std::vector<VirtualChannelId> find_virtual_credit_loop(const ChannelDependencies& graph);
// Whether there is one: the first stage alone.
[[nodiscard]] bool has_credit_loop(const ChannelDependencies& graph);
// Its channels, whatever their lanes.
[[nodiscard]] std::vector<ChannelId> find_credit_loop(const ChannelDependencies& graph);

// The lowest LID that makes `from` depend on `to`; kNoLid when there is none.
[[nodiscard]] Lid example_lid(const Fabric& fabric, const ForwardingTables& tables, ChannelId from, ChannelId to);

// One line per channel of `loop`: both ends of the link with GUID, description and port, and a LID that is sent on to
// the next one. Ends with a newline.
[[nodiscard]] std::string describe_credit_loop(const Fabric& fabric, const ForwardingTables& tables,
                                               const std::vector<ChannelId>& loop);

// The same on lanes: `vls` of the channels, and with each LID the SL that packets for it have.
[[nodiscard]] std::string describe_credit_loop(const Fabric& fabric, const ForwardingTables& tables, const Lanes& lanes,
                                               const std::vector<ChannelId>& loop,
                                               const std::vector<std::uint8_t>& vls);

}  // namespace espalier
