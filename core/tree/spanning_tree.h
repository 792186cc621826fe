// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A tree over the switches of a connected component, breadth first over all links, whatever their levels say.
#pragma once

#include <functional>
#include <vector>

#include "core/tree/fat_tree.h"

namespace espalier {

struct SpanningTree {
  struct Step {
    SwitchId parent = kNoSwitch;  // kNoSwitch: the root, or not in the tree
    PortNum port = kNoPort;       // of this switch, toward the parent
    PortNum parent_port = kNoPort;
  };
  SwitchId root = kNoSwitch;
  IdVector<SwitchId, Step> steps;

  [[nodiscard]] bool contains(SwitchId s) const { return s == root || steps[s].parent != kNoSwitch; }
};

// Of the root, and of what is reached over switches that it may enter.
[[nodiscard]] SpanningTree breadth_first(const FatTree& tree, SwitchId root,
                                         const std::function<bool(SwitchId)>& may_enter);

// Where multicast is tried first: one tree for each component, from its lowest switch.
[[nodiscard]] std::vector<SpanningTree> breadth_first_from_lowest(const FatTree& tree);

}  // namespace espalier
