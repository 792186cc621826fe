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

#include "core/engines/balanced/host_columns.h"
#include "core/engines/balanced/pieces.h"
#include "core/engines/balanced/step_costs.h"
#include "core/engines/work_budget.h"

namespace espalier {

// Improves the columns within the pieces, with what is left of the budget, and takes from it what that took; they stay as
// they were where it cannot.
// Stops where it is when the deadline passes; the columns are then of no use.
// REQUIRES: there are hosts; every entry lies on a shortest up-down path.
void best_response_dynamics(const SearchTask& task, const Pieces& pieces, WorkBudget& budget, HostColumns& columns);

// Whether loads under all shifts fit into a processor's cache: such fabrics are searched several times as fast.
[[nodiscard]] bool fits_into_the_cache(const TreeChannels& channels, const NodeOrder& order);

}  // namespace espalier
