// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Max-min fair rates when each flow splits evenly over its paths, whatever they carry, by progressive filling
// (core/analysis/congestion/progressive_filling.h). Exact, without a linear program: with one path for each flow that is
// what tables allow.
#pragma once

#include "core/throughput/path_problem.h"

namespace espalier {

[[nodiscard]] FlowRates water_filling(const PathProblem& problem);

}  // namespace espalier
