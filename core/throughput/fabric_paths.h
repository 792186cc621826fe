// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The throughput problem of flows between hosts of a fabric. Resources are channels between neighboring switches
// (parallel links add up, except under tables, which choose among them) and both directions of the hosts' links; the
// unit of capacity is the fastest link of a host. What has no rate is taken to be as fast.
//
// In a dragonfly the minimal path (MIN) is local, global, local over a link between the two groups, also where two
// global hops would be fewer (Faizian 2018, 2.1.2). Valiant paths (VLB) go minimally to any third switch and minimally
// on, but straight on from where they would come by a second time.
#pragma once

#include <span>
#include <vector>

#include "core/analysis/congestion/flow_risk.h"
#include "core/base/progress.h"
#include "core/fabric/fabric.h"
#include "core/fabric/forwarding_tables.h"
#include "core/graphs/path_sets.h"
#include "core/throughput/path_problem.h"

namespace espalier {

struct FabricPathRule {
  PathRule rule;
  bool valiant = false;                 // those that the rule does not have
  std::vector<std::uint32_t> groups{};  // of a dragonfly, by switch: `min` means its MIN
};

// Flows are between `hosts`, by rank. A flow to itself, or between hosts that no path joins, has no path.
// REQUIRES: hosts hang on switches.
[[nodiscard]] PathProblem fabric_paths(const Fabric& fabric, std::span<const EndportId> hosts,
                                       std::span<const Flow> flows, const FabricPathRule& rule,
                                       Progress* progress = nullptr);

// A flow has one path for each LID of its destination, those that are the same only once.
[[nodiscard]] PathProblem table_paths(const Fabric& fabric, const ForwardingTables& tables,
                                      std::span<const EndportId> hosts, std::span<const Flow> flows);

}  // namespace espalier
