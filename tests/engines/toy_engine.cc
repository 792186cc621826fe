// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "tests/engines/toy_engine.h"

#include "core/engines/lid_targets.h"
#include "core/engines/modulo/closed_form.h"

namespace espalier::test {

ForwardingTables first_port(const FatTree& tree, const UpDownCosts& costs, const NodeOrder& order) {
  const Fabric& fabric = tree.fabric();
  ForwardingTables tables(fabric.num_switches(), fabric.top_lid());
  const LidTargets targets(tree, order);
  for (const SwitchId s : fabric.switches())
    for (const SwitchId t : fabric.switches()) {
      if (costs.cost(s, t) == kUnreachable) continue;
      const auto ports = alternative_ports(tree, costs, s, t);
      targets.for_each_lid(t,
                           [&](Lid lid, PortNum last_port) { tables.set(s, lid, s == t ? last_port : ports.front()); });
    }
  return tables;
}

}  // namespace espalier::test
