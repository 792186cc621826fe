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
#include <vector>

#include "core/analysis/soundness/dependencies/channel_dependencies.h"
#include "core/fabric/lanes.h"
#include "plugin/multicast/multicast_tree.h"
#include "plugin/multicast/reached_channels.h"

namespace espalier {

class TrunksBesideUnicast {
 public:
  // Packets have service level `sl`. REQUIRES: `unicast` was made with `lanes` and has no cycle; all outlive this.
  TrunksBesideUnicast(const Fabric& fabric, const Lanes& lanes, const ChannelDependencies& unicast, std::uint8_t sl);

  // Whether the tree closes no loop with unicast.
  [[nodiscard]] bool is_sound(const Trunk& trunk) const;
  // One that does not, without the switches that no link can join to it. REQUIRES: root supports multicast.
  [[nodiscard]] Trunk grow(SwitchId root, const IdVector<SwitchId, McastSupport>& support) const;

 private:
  const Fabric& fabric_;
  const Lanes& lanes_;
  std::uint8_t sl_;
  ReachedChannels reached_;
};

// Each by the channel toward the root.
[[nodiscard]] std::vector<ChannelId> links_of(const Fabric& fabric, const Trunk& trunk);

}  // namespace espalier
