// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A closed form that damage disturbs little: the other destinations stay where they are.
//
// The closed form of closed_form.h takes the modulo over the groups that lead closer. Where one of 24 is missing, it is
// the modulo 23, and nearly every destination moves. That is no harm to ids that are dealt evenly all over, and ruins
// ids whose place is meant (interleaved_order.h). Here the modulo is over the groups that the switch was meant to have,
//
//   planes(s) = all switches directly above s and above its siblings, siblings being those of the level of s that have
//               an upper switch in common with s
//   wanted    = planes[ floor(t / divider(s)) mod #planes ]
//
// and only a destination whose wanted plane does not lead closer takes another: one of the next kSpread that do, in
// GUID order from the wanted one, by the next digit of t. Near ones, because the hosts of one leaf stand on
// neighbouring planes, so that a detour meets mostly traffic to its own leaf.
//
// A switch that has less than half of its planes (hardly a tree) takes its own groups for planes. Downward it is
// closed_form.h as it is.
//
// The id of a destination may depend on the level at which a path to it turns: at switch s, (cost(s,t) + level(s) +
// level(t)) / 2.
#pragma once

#include <vector>

#include "core/fabric/forwarding_tables.h"
#include "core/tree/costs.h"
#include "core/tree/fat_tree.h"
#include "core/tree/node_order.h"

namespace espalier {

// Every LID whose switch has an up-down path, from every switch; the other entries stay kNoPort. LID offset k takes the
// plane floor(k / divider(s)) further.
// REQUIRES: one order per level of the tree.
[[nodiscard]] ForwardingTables steady_form(const FatTree& tree, const UpDownCosts& costs,
                                           const std::vector<NodeOrder>& orders);

}  // namespace espalier
