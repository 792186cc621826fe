// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Spanning trees for multicast, made from the levels of the fabric instead of hop tables.
//
// OpenSM's own builder asks hop tables for the center of each group and for the way to each member. These tables cost
// (switches)^2 x ports bytes, about 100 MB at 1 620 switches, and nothing else of ours needs them. A fat tree has a
// better answer: every switch of the top level is a center. So
//
//   root    the top switch with the highest hash(MLID, its GUID). Groups spread over the top switches, and when one of
//           them fails only its own groups move (rendezvous hashing, Thaler and Ravishankar 1998).
//   trunk   one spanning tree for each root, shared by all groups of that root: breadth first, first only downward, so
//           that members are joined by up-then-down paths as unicast is; what cannot be reached so is added by any
//           link. A switch that cannot multicast is not entered.
//   group   the part of the trunk between the members: from each member's switch toward the root until a switch that
//           is already in, then the chain above the topmost fork is cut off.
//
// Invariant: the edges of one group are a subset of one tree, hence no packet circles. Cost of a group: members x
// levels. Everything here is our own values; OpenSM's objects are in multicast.h.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "core/tree/fat_tree.h"
#include "core/tree/spanning_tree.h"

namespace espalier {

enum class McastSupport : std::uint8_t { kNo, kYes };

using Trunk = SpanningTree;

// A link that a group uses.
struct TreeEdge {
  SwitchId upper;
  PortNum upper_port;
  SwitchId lower;
  PortNum lower_port;
  bool operator==(const TreeEdge&) const = default;
};

// Breadth first over all links, whatever their levels say: the trunk for routings that do not follow them.
// REQUIRES: root supports multicast; `support` has an entry for each switch.
[[nodiscard]] Trunk grow_shortest_trunk(const FatTree& tree, SwitchId root,
                                        const IdVector<SwitchId, McastSupport>& support);

// The edges between the switches in `members`, in no particular order; none for a single switch.
// REQUIRES: trunk.contains() each of them. Duplicates are allowed.
[[nodiscard]] std::vector<TreeEdge> join(const Trunk& trunk, std::span<const SwitchId> members);

// The root for a group in one connected component: among the switches of its highest level that support
// multicast. kNoSwitch when none of its switches does.
[[nodiscard]] SwitchId choose_root(const FatTree& tree, std::uint32_t component, std::uint16_t mlid,
                                   const IdVector<SwitchId, McastSupport>& support);

// The trunks of one fabric, grown when first asked for: 12 bytes per switch and root.
class MulticastPlan {
 public:
  // REQUIRES: `tree` outlives the plan.
  MulticastPlan(const FatTree& tree, IdVector<SwitchId, McastSupport> support)
      : tree_(&tree), support_(std::move(support)) {}

  // With a trunk that all groups of a component share, by component, in place of those that would be grown.
  void share(std::map<std::uint32_t, Trunk> shared) { shared_ = std::move(shared); }

  // Null when no switch of the component supports multicast.
  [[nodiscard]] const Trunk* trunk(std::uint32_t component, std::uint16_t mlid);

 private:
  const FatTree* tree_;
  IdVector<SwitchId, McastSupport> support_;
  std::map<SwitchId, Trunk> trunks_;
  std::map<std::uint32_t, Trunk> shared_;
};

}  // namespace espalier
