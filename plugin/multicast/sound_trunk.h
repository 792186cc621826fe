// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A multicast tree that closes no credit loop with unicast, where the shortest one does.
//
// The tree grows breadth first from its root, link by link. Each link adds dependencies: from it to the other links of
// the tree at both its ends, and back, on the lanes of SL2VL. The dependencies of unicast and of the tree so far are kept
// in a topological order (ordered_graph.h); a link with which they would have a cycle is left out, and its far switch
// joins the tree elsewhere, farther from the root. So on a dragonfly whose local detours obey the parity-sign rule, the
// turns of the tree within the root's group do as well, for instance as two stars whose centers are neighbors.
//
// Whatever joins the tree later only adds dependencies, so a link that was left out once need not be tried again.
#pragma once

#include <cstdint>

#include "core/analysis/soundness/channel_dependencies.h"
#include "plugin/multicast/multicast_tree.h"

namespace espalier {

// Without the switches that no link can join to it. Packets have service level `sl`.
// REQUIRES: root supports multicast; `unicast` was made with `lanes` and has no cycle.
[[nodiscard]] Trunk grow_sound_trunk(const Fabric& fabric, const Lanes& lanes, const ChannelDependencies& unicast,
                                     SwitchId root, const IdVector<SwitchId, McastSupport>& support, std::uint8_t sl);

}  // namespace espalier
