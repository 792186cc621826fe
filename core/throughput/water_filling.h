// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Max-min fair rates when each flow splits evenly over its paths, whatever they carry: progressive filling (Bertsekas
// and Gallager, Data Networks, 6.5.2). Raise all rates together until a resource is full; who crosses it keeps its
// rate, the others go on. Exact, without a linear program: with one path for each flow that is what tables allow.
// Example: flows a, b cross resource 1 of capacity 1, flows b, c resource 2 of capacity 2. At 1/2 resource 1 is full: a
// and b stay; c goes on to 3/2.
#pragma once

#include "core/throughput/path_problem.h"

namespace espalier {

// Cost: the steps of all paths a few times, and for each distinct rate a look at each resource.
[[nodiscard]] FlowRates water_filling(const PathProblem& problem);

}  // namespace espalier
