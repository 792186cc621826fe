// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The engine `balanced`: a weighted closed form (modulo/weighted_modulo.h), then the busiest channels relieved. Our
// own; the thesis sketches "remote usage" (Gliksberg 2022, 5.1.2) and leaves it there.
//
// What is wrong with the closed form on a damaged tree: it asks neither what a switch can still carry nor what the far
// side can. A switch with one of three channels left gets as many flows as its siblings. And where a switch counts
// modulo 23 instead of 24, its choices no longer line up with those of its siblings, so that some shift finds them all
// on one channel.
//
// Two halves. First the routes of the whole tree at once, as if flows could be split (ingress.h,
// multiplicative_weights.h), and hosts assigned by these shares so that the alignment which makes the closed form good
// at shifts is kept (deficit_round_robin.h). Where that gains nothing the closed form stays; other engines and
// another numbering of the hosts are tried where that is cheap.
//
// Then single destinations: the load of every channel under every shift is known (shift_loads.h); the routes to one
// destination are taken out, the cheapest ones at present prices are put in (best_response.h), and so on with the next,
// again and again (best_response_dynamics.h). With more hosts fewer shifts are counted there, at least two per leaf where
// memory permits; so a repair of all shifts follows where these can be counted at all (min_conflicts.h).
//
// Each step is kept only if it leaves the maximum load under a shift, the mean over shifts and the expected maximum of
// random permutations no worse than they were (load_summary.h), as far as the counted shifts tell; the repair, under all of
// them.
//
// Bounded time: work is counted, not timed, so that tables depend on nothing but the fabric and the option
// (core/engines/work_budget.h). Whatever was found by trial is in parameters.h.
#pragma once

#include "core/base/deadline.h"
#include "core/engines/balanced/options.h"
#include "core/engines/routing_problem.h"
#include "core/fabric/forwarding_tables.h"

namespace espalier {

// With options, a step for up_down_engine.h. 0 milliseconds: what it starts from; also when the deadline passes before
// it is done, for what it would have then depends on the machine.
[[nodiscard]] ForwardingTables balanced(const RoutingProblem& problem, const BalancedOptions& options,
                                        const Deadline& deadline = {});

}  // namespace espalier
