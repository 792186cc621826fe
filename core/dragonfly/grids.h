// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Finds groups that are grids (grid_fit.h), whole or damaged. Triangles do not tell them: columns of a grid have few, and
// routers at the same place of several groups are often cabled to each other, which makes triangles of global links.
// Communities of switches do (communities.h), and whether they are grids shows which of them are groups. These are set
// aside, and the others sought among the switches that remain: one community after the other, as the remaining network
// tells better (Zhao, Levina and Zhu 2011, PNAS 108). Where these are other grids than the groups, each router's own lines
// tell (spanned_grids.h).
#pragma once

#include <optional>

#include "core/dragonfly/cabling_graph.h"

namespace espalier {

// Whether groups are such grids: nine tenths of the switches are in grids of one size with four fifths of their links, and
// three quarters of the pairs of four or more grids are cabled. Where routers are cabled to all other groups they are not:
// this is a HyperX, whose planes are grids in each direction.
[[nodiscard]] bool are_grids(const CablingGraph& graph, const GroupOfSwitch& groups);

// Groups for which are_grids holds, if it finds such.
[[nodiscard]] std::optional<GroupOfSwitch> find_grids(const CablingGraph& graph);

}  // namespace espalier
