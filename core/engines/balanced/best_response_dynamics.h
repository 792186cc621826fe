// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Best responses of all destinations in turn, again and again: best-response dynamics of a congestion game, a descent
// on its potential (R. W. Rosenthal 1973; D. Monderer and L. S. Shapley, "Potential games", 1996).
//
// One pass looks at each destination once. First only at flows that pay twice the mean, which are few and where most is
// to be gained; when that gains nothing any more, at more and more of them. A pass is kept if neither the maximum nor a
// mean is higher than in the best so far (is_worse() of load_summary.h).
//
// Work is counted, not timed, so that tables depend on nothing but the fabric and the option. A millisecond is one of a
// core of 2020; it holds more of small fabrics, whose loads fit into its cache.
#pragma once

#include <span>

#include "core/base/deadline.h"
#include "core/engines/balanced/host_columns.h"
#include "core/engines/balanced/pieces.h"
#include "core/engines/objective.h"
#include "core/engines/routing_problem.h"
#include "core/engines/work_budget.h"
#include "core/fabric/known_flows.h"
#include "core/fabric/rules/host_part.h"

namespace espalier {

struct SearchOptions {
  std::span<const HostPart> parts;  // as in HostOrder, if these are orders of their own
  Objective objective;
  Pieces pieces;
  std::span<const KnownFlow> known_flows;
};

// Improves the columns with what is left of the budget and takes from it what that took; they stay as they were where
// it cannot.
// Stops where it is when the deadline passes; the columns are then of no use.
// REQUIRES: there are hosts; every entry lies on a shortest up-down path, none of which is longer than `longest_path`.
void best_response_dynamics(const RoutingProblem& problem, const SearchOptions& options, const TreeChannels& channels,
                            Hops longest_path, WorkBudget& budget, const Deadline& deadline, HostColumns& columns);

// Whether loads under all shifts fit into a processor's cache: such fabrics are searched several times as fast.
[[nodiscard]] bool fits_into_the_cache(const TreeChannels& channels, const NodeOrder& order);

}  // namespace espalier
