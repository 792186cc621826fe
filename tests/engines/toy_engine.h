// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The smallest engine that there can be, as an example for guests: of all ports that lead closer it takes the first,
// for every destination. Known as "first shortest path"; it loads one spine with everything.
#pragma once

#include "core/engines/routing_problem.h"
#include "core/fabric/forwarding_tables.h"

namespace espalier::test {

// A step for up_down_engine.h.
[[nodiscard]] ForwardingTables first_port(const RoutingProblem& problem);

}  // namespace espalier::test
