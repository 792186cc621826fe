// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/modulo/pqft.h"

#include "core/base/parallel.h"
#include "core/engines/modulo/closed_form.h"

namespace espalier {

ForwardingTables pqft(const RoutingProblem& problem) {
  const FatTree& tree = problem.tree;
  const Fabric& fabric = problem.fabric;
  const auto& divider = problem.divider;
  ForwardingTables tables = closed_form(problem);
  parallel_for(fabric.num_switches(), [&](std::size_t i) {
    const SwitchId t = id_at<SwitchId>(i);
    for (const LidTarget& target : problem.targets.at(t))
      for (const Lid lid : lids_of(target)) {
        const std::size_t offset = index(lid) - index(target.base);
        for (SwitchId below = t; !tree.up_groups(below).empty();) {
          const auto up = tree.up_groups(below);
          const std::size_t quotient = target.id / divider[below] + offset / divider[below];
          const PortGroup& group = up[quotient % up.size()];
          const SwitchId above = group.remote;
          // Of parallel links to the same switch the closed form has chosen one.
          if (const Peer& chosen = fabric.peer(above, tables.at(above, lid)); chosen.as_switch() != below)
            tables.set(above, lid, fabric.peer(below, tree.ports(group)[quotient / up.size() % group.num_ports]).port);
          below = above;
        }
      }
  });
  return tables;
}

}  // namespace espalier
