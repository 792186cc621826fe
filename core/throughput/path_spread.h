// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The same rates, spread over as many paths as they can be. The optimum of a linear program is a vertex, where most flows
// have one path or two; packets wait for each other there that would meet less over more paths. Of all divisions that
// give each flow its rate r_f, the one that is nearest to Valiant's draws (least relative entropy):
//
//   min sum x^p log(x^p / w^p)   sum x^p = r_f       flows f
//                                sum x^p <= C_e      resources e, over the paths that cross it
//
// w^p is 1, and for a detour the third switches that lead to it. The dual has a length for each resource, 0 where that is
// not full, and a flow divides in the ratios of w^p exp(-length of p). Lengths by Nesterov's accelerated gradients (Beck
// and Teboulle 2009), restarted where the momentum points uphill (O'Donoghue and Candes 2015). The first that are feasible
// will do.
#pragma once

#include "core/base/progress.h"
#include "core/throughput/path_problem.h"

namespace espalier {

// Changes of_path alone. No resource gets more than a share of 1e-4 above its capacity, or above what it had.
// REQUIRES: problem.shares is empty; `rates` are feasible, and of_flow their sums.
void spread_over_paths(const PathProblem& problem, FlowRates& rates, Progress* progress = nullptr);

}  // namespace espalier
