// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What `balanced` is asked for: EngineOptions (core/engines/options.h) as its search needs them.
#pragma once

#include <cstdint>
#include <vector>

#include "core/engines/objective.h"
#include "core/fabric/known_flows.h"
#include "core/fabric/rules/host_part.h"
#include "core/tree/order/node_types.h"

namespace espalier {

struct BalancedOptions {
  std::uint32_t milliseconds = 3000;  // 0: the better of the weighted and the plain closed form
  std::vector<HostPart> parts = {};   // orders of their own, whose shifts count; empty: NodeOrder::jobs is the order
  NodeTypes types = {};               // of the tree's end ports, for phases between them; empty: all are alike
  Objective objective = {};
  std::vector<KnownFlow> known_flows = {};  // as far as the objective has a weight for them
};

}  // namespace espalier
