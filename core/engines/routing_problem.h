// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What every engine starts from that chooses among up-down paths: a tree and all that follows from it alone, computed
// once and handed from step to step.
#pragma once

#include <span>

#include "core/engines/lid_targets.h"
#include "core/tree/costs.h"
#include "core/tree/fat_tree.h"
#include "core/tree/order/node_order.h"

namespace espalier {

struct RoutingProblem {
  // REQUIRES: `t` and its fabric outlive this.
  // `jobs`: all hosts as jobs number them; empty: as topological_order() finds them.
  explicit RoutingProblem(const FatTree& t, std::span<const EndportId> jobs = {});
  // With the ids of another orientation of the same fabric, so that destinations keep them.
  RoutingProblem(const FatTree& t, NodeOrder ids);

  const FatTree& tree;
  const Fabric& fabric;
  UpDownCosts costs;                          // hops between all switches, by paths that go up, then down
  NodeOrder order;                            // topological ids, for the modulo
  LidTargets targets;                         // LID ranges by destination switch, with these ids
  IdVector<SwitchId, std::uint32_t> divider;  // ids in a row that leave a switch through one up-group
};

}  // namespace espalier
