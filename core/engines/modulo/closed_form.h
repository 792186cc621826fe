// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The closed form of Dmodc: the output port of every switch for every LID by arithmetic on local facts
// (Gliksberg 2022, 4.2.2, equations 4.5 to 4.8). A step that several engines share; they differ in the NodeOrder.
//
// For switch s and a destination with topological id t on switch l:
//
//   C(s,l) = the groups of s that lead one hop closer to l, in GUID order of the far switch              (4.5)
//   group  = C[ floor(t / divider(s)) mod #C ]                                                          (4.7)
//   port   = group[ floor(t / (divider(s) x #C)) mod #group ]                                           (4.8)
//
// No choice depends on another: rows are filled in parallel, and one may ask for any entry alone.
//
// LMC. Offset k of a LID range takes the choice k places further: floor(k / divider(s)) is added to the quotient of
// (4.7) and carries into (4.8) as the id itself would. In digits of a perfect tree that is addition without carry:
// offsets 0, 1, 2, ... first exhaust the up-groups of the leaf (paths that share no switch between the leaves), then
// the parallel links and the groups of the next level. Offset 0 is the plain route.
//
// paper            here
// Omega_g          PortGroup::remote
// G_s              up_groups(s), down_groups(s)
// C_{s,l}          closer_groups(), core/tree/next_hops.h
// Pi_s             dividers()
// P_{s,d}          alternative_ports(), ditto
// t_d              NodeOrder
#pragma once

#include "core/engines/routing_problem.h"
#include "core/fabric/forwarding_tables.h"

namespace espalier {

// Every LID whose switch has an up-down path, from every switch; the other entries stay kNoPort.
[[nodiscard]] ForwardingTables closed_form(const RoutingProblem& problem);

// The same by the ids of other targets than the problem's own.
[[nodiscard]] ForwardingTables closed_form_by(const RoutingProblem& problem, const LidTargets& targets);

// The same by ids of which each leaf takes as many as the fullest one, so that leaves with fewer hosts leave gaps.
[[nodiscard]] ForwardingTables padded_closed_form(const RoutingProblem& problem);

}  // namespace espalier
