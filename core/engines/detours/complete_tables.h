// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The step after the hosts' routes: every pair that no up-down path joins.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/engines/detours/turns.h"
#include "core/engines/routing_problem.h"
#include "core/engines/switch_paths.h"
#include "core/fabric/forwarding_tables.h"

namespace espalier {

// What complete() leaves behind.
struct Completion {
  std::vector<std::string> warnings;  // what an admin should know, one sentence each
  std::vector<SwitchPair> unjoined;   // pairs without a route; empty: the tables are complete
};

// Fills what the step before left empty: through the subtrees of each connected component where every component that
// needs some has them (subtree_plan.h), else turn by turn (turns.h), those of hosts spread if possible. Entries that are
// there stay as they are, but for those of selective switches (subtree.h).
// Without attempts, where no subtrees will do, `unjoined` has one pair.
// REQUIRES: `tables` have an entry wherever the cost is finite, downward where the down-cost is.
// Errors: `options` want no down-up turns, and some pairs need one.
[[nodiscard]] Result<Completion> complete(const RoutingProblem& problem, const SwitchPathOptions& options,
                                          ForwardingTables& tables, const TurnEffort& effort = {});

// The same for whoever wants all or nothing; returns the warnings. Errors: also a pair that could not be joined.
[[nodiscard]] Result<std::vector<std::string>> complete_tables(const RoutingProblem& problem,
                                                               const SwitchPathOptions& options,
                                                               ForwardingTables& tables);

// Pairs of hosts on different switches that no up-down path joins.
[[nodiscard]] std::uint64_t count_unreached_hosts(const RoutingProblem& problem);

}  // namespace espalier
