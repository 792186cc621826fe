// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Ftree (Zahavi 2010; Gliksberg 2022, 1.4.1, Algorithm 1): destinations one after the other, each by the least used
// links upward, counted at each switch. On a perfect tree it balances shifts as Dmodk does; counters know no digits,
// so missing links and hosts throw it out of step.
//
// Of a switch's links upward the least used comes first; where several are, the groups take turns before the parallel
// links of one do, which is Dmodk's order. Only the first attempt of a switch counts: a link taken because another
// did not reach all leaves keeps its place in the queue.
//
// The order of switches downward is not printed. In a PGFT it does not matter; in a QFT several of them reach the same
// leaves, and in a fixed order the first would carry all that these send (mu of shifts 9 instead of the published 3).
// Here the least used comes first as well.
//
// The destinations depend on one another: this runs on one thread.
#pragma once

#include "core/engines/routing_problem.h"
#include "core/fabric/forwarding_tables.h"

namespace espalier {

// A step for up_down_engine.h.
[[nodiscard]] ForwardingTables ftree(const RoutingProblem& problem);

}  // namespace espalier
