// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Ftree-Random (Gliksberg 2022, 5.1.1, Algorithm 8): for each destination a tree as Ftree's, with links tried in
// random order. All packets to one destination still share their path, which plain random routing (randsp.h) does not
// care about; how the trees of different destinations meet is left to chance. Destinations are independent: parallel.
#pragma once

#include <cstdint>

#include "core/engines/routing_problem.h"
#include "core/fabric/forwarding_tables.h"

namespace espalier {

// With `seed` bound, a step for up_down_engine.h.
[[nodiscard]] ForwardingTables ftree_random(const RoutingProblem& problem, std::uint64_t seed);

}  // namespace espalier
