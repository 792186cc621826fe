// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Exact rates on given paths, by Clp.
//
//   maximum concurrent flow (MCF)   the largest a such that every flow can have a x its demand at once
//   max-min fairness (MMF)          no flow can have more unless one gets less that has no more: the linear programs of
//                                   Nace, Doan, Klopfenstein and Bashllari 2008, as Faizian 2018 has them (2.18, 5.1)
//
//   max a   a d_f - sum x^p <= 0       flows f that are not saturated
//                 - sum x^p <= -r_f    saturated ones, whose rate r_f is known
//                   sum x^p <= C_e     resources e, over the paths that cross it
//
// Which flows are saturated? The source takes those whose constraint is binding, but in one of several optimal
// solutions a constraint may bind without need, and then a flow is frozen too early. A constraint with a dual value above
// 0 binds in all of them (complementary slackness), and at least one has it, since the duals x d_f sum to 1.
//
// Columns are generated: a path enters only when its flow's dual is above the sum of its resources' duals, besides those
// that the approximation of concurrent_flow.h uses: from these the first program is at the optimum or close to it.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/throughput/path_problem.h"

namespace espalier {

// Bounds are equal. Errors: the solver gives up.
[[nodiscard]] Result<FlowRates> maximum_concurrent_flow(const PathProblem& problem, Progress* progress = nullptr);

// The bounds are those of the first linear program. `progress` counts saturated flows. Errors: the solver gives up.
[[nodiscard]] Result<FlowRates> max_min_fair_rates(const PathProblem& problem, Progress* progress = nullptr);

}  // namespace espalier
