// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Every LID once, in the order in which engines that route destination after destination take them.
#pragma once

#include <vector>

#include "core/engines/routing_problem.h"

namespace espalier {

struct Destination {
  Lid lid = kNoLid;
  SwitchId at = kNoSwitch;
  PortNum last_port = kNoPort;  // the port of `at` that delivers; 0 for the switch itself
};

// First the hosts by topological id, so that the routes of hosts do not depend on anything else; then their LID offsets
// 1, 2, ... in the same order; then Aggregation Nodes and switches.
[[nodiscard]] std::vector<Destination> destinations_in_order(const RoutingProblem& problem);

}  // namespace espalier
