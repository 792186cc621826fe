// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Up*/down* orientations (Schroeder et al., Autonet, 1991): an order of the switches, in which every link has an upper
// end. Paths that go up, then down, close no credit loop on one lane.
#pragma once

#include <vector>

#include "core/engines/layers/switch_graph.h"
#include "core/tree/fat_tree.h"

namespace espalier {

// Up is toward the switch that comes first.
struct Orientation {
  std::vector<SwitchId> descending;         // from the roots down
  IdVector<SwitchId, std::uint32_t> place;  // in `descending`
};

// By distance from the root; every pair of switches has a path up, then down.
[[nodiscard]] Orientation orient(const SwitchGraph& graph, SwitchId root);
// Of a few roots near the middle that with which the fullest channel carries least.
[[nodiscard]] Orientation best_orientation(const SwitchGraph& graph);
// That of the tree's levels. With several tops not every pair has a path.
[[nodiscard]] Orientation orient(const FatTree& tree);

// Channels numbered so that along any path that goes up, then down, numbers ascend.
[[nodiscard]] std::vector<std::uint32_t> numbers_of(const SwitchGraph& graph, const Orientation& orientation);

}  // namespace espalier
