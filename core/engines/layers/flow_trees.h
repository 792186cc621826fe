// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Trees around known flows, on lanes that are there before.
#pragma once

#include "core/engines/layers/layered_trees.h"

namespace espalier {

// Known flows on the paths that cost least, each on the loads of the others, again and again; `start` where that makes nothing
// better. REQUIRES: every route of `start` has a lane.
[[nodiscard]] LayeredTrees around_known_flows(const SwitchGraph& graph, LayeredTrees start);

// The same where nothing forbids credit loops: the paths that flows would take.
[[nodiscard]] TreeSearch without_lanes(const SwitchGraph& graph, const TreeSearch& start);

// Lane 0 carries all of `one`, and it and the others what `wanted` wants; trees of as few hops as these allow.
[[nodiscard]] LayeredTrees beside(const SwitchGraph& graph, const OneLane& one, const TreeSearch& wanted,
                                  unsigned most);

}  // namespace espalier
