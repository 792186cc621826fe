// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// RandSP, random shortest path (Gliksberg 2022, 1.4.4, Algorithm 2, and 5.1.3, Algorithm 11): every switch draws one of
// its links that lead closer, for every LID on its own. Even on average, with collisions by chance: what any engine
// that thinks has to beat. Each draw is independent: parallel.
#pragma once

#include <cstdint>

#include "core/engines/routing_problem.h"
#include "core/fabric/forwarding_tables.h"

namespace espalier {

// With `seed` bound, a step for up_down_engine.h.
[[nodiscard]] ForwardingTables randsp(const RoutingProblem& problem, std::uint64_t seed);

}  // namespace espalier
