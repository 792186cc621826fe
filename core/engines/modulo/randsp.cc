// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/modulo/randsp.h"

#include <algorithm>
#include <utility>

#include "core/base/parallel.h"
#include "core/engines/modulo/random_choice.h"
#include "core/tree/next_hops.h"

namespace espalier {
namespace {

// The port with the highest draw. When a port is lost only those who had chosen it choose again.
PortNum draw(const std::vector<PortNum>& ports, std::uint64_t key) {
  std::pair<std::uint64_t, PortNum> best{0, kNoPort};
  for (const PortNum port : ports) best = std::max(best, {mix(key, index(port)), port});
  return best.second;
}

}  // namespace

ForwardingTables randsp(const RoutingProblem& problem, std::uint64_t seed) {
  const Fabric& fabric = problem.fabric;
  const LidTargets& targets = problem.targets;
  std::vector<std::uint64_t> key(index(fabric.top_lid()) + 1);
  for (const SwitchId t : fabric.switches())
    targets.for_each_lid(t, [&](Lid lid, PortNum) { key[index(lid)] = mix(seed, identity(fabric, lid)); });

  ForwardingTables tables(fabric.num_switches(), fabric.top_lid());
  parallel_for(fabric.num_switches(), [&](std::size_t i) {
    const SwitchId s = id_at<SwitchId>(i);
    const auto guid = static_cast<std::uint64_t>(fabric.at(s).guid);
    for (const SwitchId t : fabric.switches()) {
      if (problem.costs.cost(s, t) == kUnreachable) continue;
      const std::vector<PortNum> closer = alternative_ports(problem.tree, problem.costs, s, t);
      targets.for_each_lid(t, [&](Lid lid, PortNum last_port) {
        tables.set(s, lid, s == t ? last_port : draw(closer, mix(key[index(lid)], guid)));
      });
    }
  });
  return tables;
}

}  // namespace espalier
