// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Flows into phases one by one, over any tables of any fabric: each goes into the first phase in which its two servers
// and all links of its path are free, or into a new phase.
//
// What for? What the construction of an exchange does not cover: pairs of leaves that have no spine in common, fabrics
// that are no two-level tree. Never congested, rarely short: twice the bound is usual for a whole exchange.
#pragma once

#include <cstdint>
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

// Adds the flows in this order, and phases where none has room. REQUIRES: the servers are in the fabric and cabled.
// Errors: a flow that the tables do not deliver.
[[nodiscard]] Status fit_flows(const Fabric& fabric, const ForwardingTables& tables,
                               const std::vector<PendingFlow>& flows, Schedule& schedule);

}  // namespace espalier
