// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Connected components of a tree, or of a part of it that a predicate cuts out: pods, planes.
#pragma once

#include <cstdint>

#include "core/base/disjoint_sets.h"
#include "core/tree/fat_tree.h"

namespace espalier {

// Per switch the number of its component among the switches for which `inside` holds, joined by the tree's channels
// between them; any other switch is a component of its own. Counted from 0 in the order of each component's lowest
// switch id. O(port groups).
template <class Inside>
[[nodiscard]] IdVector<SwitchId, std::uint32_t> components(const FatTree& tree, const Inside& inside) {
  DisjointSets sets(tree.fabric().num_switches());
  for (const SwitchId s : tree.fabric().switches()) {
    if (!inside(s)) continue;
    for (const PortGroup& up : tree.up_groups(s))
      if (inside(up.remote)) sets.join(index(s), index(up.remote));
  }
  return IdVector<SwitchId, std::uint32_t>(sets.numbers());
}

}  // namespace espalier
