// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Groups of switches with many links within and few between: of high modularity, which is the share of links within
// groups, minus that share if links were drawn at random (Newman and Girvan 2004).
//
// Found by the method of Louvain (Blondel et al. 2008). First, switches move one by one to the group where modularity
// gains most, until none does. Second, groups become the nodes of a weighted graph, in which they move likewise; and so on
// until none joins another.
#pragma once

#include "core/dragonfly/cabling_graph.h"

namespace espalier {

[[nodiscard]] double modularity(const CablingGraph& graph, const GroupOfSwitch& group);
// That of the best groups of a random graph of N nodes, each two linked with probability p: about
// 0.97 sqrt((1 - p) / (p N)) (Reichardt and Bornholdt 2006, Physica D 224). There are groups in every Jellyfish.
[[nodiscard]] double modularity_by_chance(const CablingGraph& graph);

// The first phase, from these groups. What is then left of a group in pieces becomes several.
[[nodiscard]] GroupOfSwitch move_switches(const CablingGraph& graph, const GroupOfSwitch& group);
// Both phases, from these groups: first groups join, then single switches move.
[[nodiscard]] GroupOfSwitch join_groups(const CablingGraph& graph, const GroupOfSwitch& group);

}  // namespace espalier
