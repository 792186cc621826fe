// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// How many lanes layered shortest-path routing takes (LASH: Skeie, Lysne and Theiss 2002): each pair of switches goes
// both ways by shortest paths, on the first lane on which these close no cycle of dependencies.
//
// OpenSM's lash searches the whole dependency graph for each pair and lane, 401 s on 3 456 ports (Bogdanski 2012, Table
// IV). Here each lane has an order of its channels that is kept up to date; the lanes are the same.
#pragma once

#include <cstddef>

#include "core/fabric/fabric.h"

namespace espalier {

// Which of the shortest paths is taken, and which pair is next, follows from the order of the switches: as OpenSM has
// them, by the bytes of their GUIDs from the last to the first. On 3 456 ports that is 6 lanes; ascending, 3.
[[nodiscard]] std::size_t lash_lanes(const Fabric& fabric);

}  // namespace espalier
