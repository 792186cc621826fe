// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Ftree2 (Gliksberg 2022, 5.1.2, Algorithm 9): Ftree that first asks how much the switch at the far end is used, from
// wherever, and only then how often the own link was. Where links are missing this moves routes away from the
// switches on which others had to lean.
//
// A use of a switch counts as many leaves as it served: ascending, those to which a destination came down through it;
// descending, those that send up to it. The printed algorithm counts entries; coalescing_tree.h says why that fails.
//
// The destinations depend on one another: this runs on one thread.
#pragma once

#include "core/engines/routing_problem.h"
#include "core/fabric/forwarding_tables.h"

namespace espalier {

// A step for up_down_engine.h.
[[nodiscard]] ForwardingTables ftree2(const RoutingProblem& problem);

}  // namespace espalier
