// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The entries of pairs that no up-down path joins, by the subtrees of a plan.
#pragma once

#include <vector>

#include "core/engines/detours/subtree_plan.h"
#include "core/engines/routing_problem.h"
#include "core/fabric/forwarding_tables.h"

namespace espalier {

// `plans`: per connected component; one without subtrees needs none. Other entries stay as they are, but for those of
// selective switches (subtree.h).
void fill_detours(const RoutingProblem& problem, const std::vector<SubtreePlan>& plans, ForwardingTables& tables);

}  // namespace espalier
