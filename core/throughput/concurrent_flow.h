// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Maximum concurrent flow without a linear program: the approximation of Garg and Könemann (FOCS 1998) in the form of
// Fleischer (SIAM J. Discrete Math. 2000), on given paths. Every flow sends its demand along the path that is cheapest
// at the moment, in chunks of the narrowest capacity, and what it uses becomes more expensive by 1 + epsilon x the
// share used. After each round both sides of the bracket are known: the rates so far, scaled to fit, and by duality
// sum(C_e l_e) / sum(d_f x its cheapest path), for any lengths l.
#pragma once

#include "core/base/progress.h"
#include "core/throughput/path_problem.h"

namespace espalier {

// Until bound_high <= (1 + gap) bound_low, or five halvings of epsilon did not get there (never seen). REQUIRES:
// 0 < gap < 1. Cost: rounds, each the steps of all paths a few times; their number grows with log(resources) / gap^2.
[[nodiscard]] FlowRates approximate_concurrent_flow(const PathProblem& problem, double gap,
                                                    Progress* progress = nullptr);

}  // namespace espalier
