// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Grids that two lines of a switch span, where communities do not tell groups: if h global links of a router lead to the
// same place of h groups, these places are all cabled to each other, and with h + 1 of at least a row's length a column of
// each of these groups makes a grid across groups, which has more links within and fewer to others than a group.
//
// The neighbors of a switch, apart where no link joins them, are its row, its column and its lines across groups. Two of
// them span a grid if for each pair of switches, one of either, there is another that both are cabled to: the corner of a
// square. Grids across groups are of another size, or cover fewer switches.
#pragma once

#include <vector>

#include "core/dragonfly/cabling_graph.h"

namespace espalier {

// For each size of grids, the most frequent first: grids that do not overlap; each other switch is a group of its own.
[[nodiscard]] std::vector<GroupOfSwitch> spanned_grids(const CablingGraph& graph);

}  // namespace espalier
