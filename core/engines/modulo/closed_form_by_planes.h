// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The closed form with the groups upward in the order of planes (core/tree/planes.h) in place of GUIDs.
//
// (4.5) orders groups by the GUID of the far switch. On a new machine GUIDs say nothing, so the first parent is of
// another plane in each pod, and flows to one destination come down in as many places as there are planes: on an
// undamaged XGFT(3;6,6,6;1,6,6) whose switches have any GUIDs the worst shift is 2, its mean 1.79. In the order of planes it is
// 1, as with GUIDs that were dealt plane by plane.
#pragma once

#include "core/engines/routing_problem.h"
#include "core/fabric/forwarding_tables.h"

namespace espalier {

// `tables` are those of closed_form(), and stay so where planes come in the order of GUIDs.
[[nodiscard]] ForwardingTables closed_form_by_planes(const RoutingProblem& problem, ForwardingTables tables);

}  // namespace espalier
