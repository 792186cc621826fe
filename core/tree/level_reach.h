// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Which hosts levels join, before a tree is made of them.
#pragma once

#include <cstdint>
#include <vector>

#include "core/fabric/fabric.h"

namespace espalier {

// Whether so many pairs without an up-down path, of `hosts` hosts, may take detours, as those of hosts on two spines do.
[[nodiscard]] bool are_few_pairs(std::uint64_t pairs, std::uint64_t hosts);

// Which links between different levels are taken.
enum class LevelLinks : std::uint8_t { kAll, kOfNeighbors };

// Whether all pairs of hosts of a connected component, but for a few, have a path that goes up, then down. Links within
// a level are left out. O(#links x #switches with hosts) bit operations.
[[nodiscard]] bool joins_most_hosts(const Fabric& fabric, const IdVector<SwitchId, std::uint32_t>& hosts,
                                    const IdVector<SwitchId, std::uint32_t>& level,
                                    LevelLinks links = LevelLinks::kAll);

// In each connected component a switch with most hosts below it and no other above it, and those like it, with at least half
// of these hosts below them: the tops of the largest of several trees.
[[nodiscard]] std::vector<SwitchId> widest_tops(const Fabric& fabric, const IdVector<SwitchId, std::uint32_t>& hosts,
                                                const IdVector<SwitchId, std::uint32_t>& level);

}  // namespace espalier
