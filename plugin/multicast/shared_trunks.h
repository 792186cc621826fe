// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Multicast beside unicast on several lanes. Where unicast keeps its deadlock freedom by lanes instead of by going up,
// then down, a multicast tree may close a credit loop with it. So all groups of a connected component share one tree,
// breadth first from one root, and of all roots that is taken with which unicast and multicast on SL 0, where OpenSM puts
// groups unless they ask for another one, have no cycle together. Where no shortest tree is so, one is grown that leaves out
// the links that would close a loop (sound_trunk.h); and where there is none either, multicast gets a lane of its own
// (own_lane.h).
//
// Why one tree for all: on a dragonfly l1 -> g0 (from a local channel of lane 1 on to a global one of lane 0) is a
// step of multicast alone, in the group of the root. With roots in two groups each could lead to the other's.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/analysis/soundness/dependencies/channel_dependencies.h"
#include "core/fabric/lanes.h"
#include "plugin/multicast/multicast_tree.h"

namespace espalier {

struct SharedTrunks {
  std::map<std::uint32_t, Trunk> by_component;
  // Components where no root of those tried is free of loops; they have a trunk as well.
  std::vector<std::uint32_t> unsound;
};

// REQUIRES: `unicast` is of tables that are sound on these lanes.
[[nodiscard]] SharedTrunks share_trunks(const FatTree& tree, const ChannelDependencies& unicast, const Lanes& lanes,
                                        const IdVector<SwitchId, McastSupport>& support);

}  // namespace espalier
