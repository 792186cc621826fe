// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A closed form that knows what is left: a destination keeps its parent in P of w rounds, where w is how many paths the
// far switch was meant to have, and P how many it has.
//
// The closed form of Dmodc sends as many destinations to a switch with one of three uplinks left as to its siblings,
// and where a switch counts modulo 23 instead of 24 its choices no longer line up with those of its siblings. Here the
// modulo is over all parents (stable_form.h), and a destination leaves its parent only where this one would have to
// deflect its route: since the rounds of a parent are dealt over the paths of the far switch in turn, it keeps P of w of
// them. Links of less capacity, parallel links included, keep a smaller share of rounds in the same way.
//
// As cheap as Dmodc, and its tables on whole trees of equal links.
#pragma once

#include "core/engines/routing_problem.h"
#include "core/fabric/forwarding_tables.h"

namespace espalier {

// A step for up_down_engine.h.
[[nodiscard]] ForwardingTables weighted_modulo(const RoutingProblem& problem);

}  // namespace espalier
