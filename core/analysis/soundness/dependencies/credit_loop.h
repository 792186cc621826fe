// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Finds a cycle of the channel dependency graph, and tells it link by link.
//
// Two stages, because nearly every call gets sound tables:
//   1. Kahn's algorithm takes away channels that no remaining channel depends on. It runs on the bitsets themselves: a
//      channel has at most 254 predecessors, so one byte of in-degree each, and an edge costs a bit scan and a
//      decrement. If every channel goes, there is no cycle, and that is the whole cost: O(channels + dependencies).
//   2. What remains contains every cycle and what lies behind one. Only now it becomes a boost::graph (in compressed
//      sparse rows), boost::strong_components (Tarjan) leaves the cycles alone, and a breadth-first search from their
//      channels picks a short one: a person has to read it.
// Boost's topological_sort could do stage 1 in the same 2 ms (1 million dependencies), but copying the bitsets into a
// graph for it takes another 13 ms on each sweep, and it stops at the first back edge where peeling leaves the part
// that stage 2 is about.
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
