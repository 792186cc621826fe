// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Cables that are swapped at one switch: everybody is joined to whom he should be, over other ports than the switches
// like it use. No route suffers; whoever looks for a cable by its port finds another.
//
// Switches of a level with the same neighbors in one direction form a cluster, and where most of them use a port for the
// same neighbor, that is its habit. Only orderly clusters say anything: four switches or more, nine tenths of whose ports
// follow their habits.
//
// Example: port 19 of each leaf goes to spine 0 and port 20 to spine 1, but on leaf 7 the other way round: {wrong link,
// leaf 7/19, expected spine 0/8} and {wrong link, leaf 7/20, expected spine 1/8}.
#pragma once

#include <vector>

#include "core/tree/cabling/cabling_pattern.h"

namespace espalier {

// Wrong links, in no particular order. Cost: O(#links log #links).
[[nodiscard]] std::vector<CablingFinding> find_swapped_ports(const FatTree& tree);

}  // namespace espalier
