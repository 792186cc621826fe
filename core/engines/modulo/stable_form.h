// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A closed form that damage disturbs little: the other destinations stay where they are.
//
// The closed form of closed_form.h takes the modulo over the groups that lead closer. Where one of 24 is missing, it is
// the modulo 23, and nearly every destination moves. That is no harm to ids that are dealt evenly all over, and ruins
// ids whose place is meant (interleaved_order.h). Here the modulo is over the groups that the switch was meant to have,
//
//   parents(s) = all switches directly above s and above its siblings, siblings being those of the level of s that have
//               an upper switch in common with s
//   wanted    = parents[ floor(t / divider(s)) mod #parents ], in the order of GUIDs, or of planes (core/tree/planes.h)
//               where GUIDs follow none
//
// and only a destination whose wanted parent does not lead closer, or leads to a switch that has to deflect the route
// in its turn, takes another one: a parent of its own piece (interleaved_order.h) from which the route is direct, if a
// third of the piece is, or if it is of a type with few hosts; else any such parent; else the wanted one; else any. If
// there are several, by the place of t among the ids of its slot and of its piece. So a detour meets traffic to its own
// leaf, and no host that is of the same type and another leaf; and no parent of a piece has to do the work of all.
//
// Example: 24 parents in pieces of 6, the link to parent 8 is lost, or one that parent 8 needs further up. The hosts
// that want it go to 6, 7, 9, 10, 11, one after the other.
//
// Upper switches are filled first, and leave a bit for each LID: deflected or not. A deflected route is one that is
// deflected here or higher up. Cost: as the closed form, and that bit.
//
// A switch that has less than a quarter of its parents (hardly a tree) takes its own groups for parents. Downward it is
// closed_form.h as it is.
//
// The id of a destination may depend on the level at which a path to it turns: at switch s, (cost(s,t) + level(s) +
// level(t)) / 2.
#pragma once

#include <vector>

#include "core/engines/routing_problem.h"
#include "core/fabric/forwarding_tables.h"
#include "core/tree/order/interleaved_order.h"

namespace espalier {

// Per switch and up-group, 0 to 1.
using GroupShares = IdVector<SwitchId, std::vector<float>>;

// Every LID whose switch has an up-down path, from every switch; the other entries stay kNoPort. LID offset k takes the
// parent floor(k / divider(s)) further.
// `stays`, per end port: not 0 for hosts that stay in their piece however little is left of it.
// `shares`, if it is not null: a parent is taken in that share of the rounds of ids, evenly spread, as if it were
// missing in the others.
// REQUIRES: one order per level of the tree.
[[nodiscard]] ForwardingTables stable_form(const RoutingProblem& problem, const std::vector<SlottedOrder>& orders,
                                           const IdVector<EndportId, std::uint8_t>& stays,
                                           const GroupShares* shares = nullptr);

}  // namespace espalier
