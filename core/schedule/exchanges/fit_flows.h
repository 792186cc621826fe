// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Flows into phases one by one by first fit, over any tables of any fabric: each goes into the first phase in which its
// two servers and all links of its path are free, or into a new phase.
//
// What for? What the construction of an exchange does not cover: pairs of leaves that have no spine in common, fabrics
// that are no two-level tree. Never congested; whole exchanges are short if they come in the order of the routes
// (fit_shifts), and twice the bound if they come in another.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/fabric/fabric.h"
#include "core/fabric/forwarding_tables.h"
#include "core/schedule/schedule.h"

namespace espalier {

struct PendingFlow {
  std::uint32_t from = 0;  // index into Schedule::servers
  std::uint32_t to = 0;
  Lid dlid = kNoLid;           // the first ...
  std::uint32_t num_lids = 1;  // ... of so many; that with the earliest phase is taken
};

// Adds the flows in this order, and phases where none has room. Errors: a flow that the tables do not deliver; then the
// schedule is of no use. REQUIRES: the servers are in the fabric and cabled.
[[nodiscard]] Status fit_flows(const Fabric& fabric, const ForwardingTables& tables,
                               const std::vector<PendingFlow>& flows, Schedule& schedule);

// Every ordered pair of servers of one component, shift after shift: by D-mod-k's routes each shift of hosts in
// topological order is a phase without congestion wherever the links suffice for all hosts (Zahavi 2010). The pairs are
// never in memory all at once. `order`: the servers, by their place in `schedule`; `component`: of each of them.
[[nodiscard]] Status fit_shifts(const Fabric& fabric, const ForwardingTables& tables,
                                std::span<const std::uint32_t> order, std::span<const std::uint32_t> component,
                                Schedule& schedule);

}  // namespace espalier
