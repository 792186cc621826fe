// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "tests/engines/toy_engine.h"

#include "core/tree/next_hops.h"

namespace espalier::test {

ForwardingTables first_port(const RoutingProblem& problem) {
  ForwardingTables tables(problem.fabric.num_switches(), problem.fabric.top_lid());
  for (const SwitchId s : problem.fabric.switches())
    for (const SwitchId t : problem.fabric.switches()) {
      if (problem.costs.cost(s, t) == kUnreachable) continue;
      const auto ports = alternative_ports(problem.tree, problem.costs, s, t);
      problem.targets.for_each_lid(
          t, [&](Lid lid, PortNum last_port) { tables.set(s, lid, s == t ? last_port : ports.front()); });
    }
  return tables;
}

}  // namespace espalier::test
