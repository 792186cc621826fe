// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/ftree/vpgft.h"

#include <fmt/format.h>

#include "core/base/parallel.h"
#include "core/engines/ftree/ftree.h"
#include "core/engines/up_down_engine.h"
#include "core/tree/split_tops.h"

namespace espalier {
namespace {

// Hosts whose packets to this LID come to each switch.
IdVector<SwitchId, std::size_t> arrivals(const FatTree& tree, const ForwardingTables& tables, Lid lid) {
  IdVector<SwitchId, std::size_t> hosts(tree.fabric().num_switches());
  for (const SwitchId from : tree.fabric().switches()) {
    if (tree.hosts(from).empty()) continue;
    for (SwitchId s = from;;) {
      hosts[s] += tree.hosts(from).size();
      const PortNum out = tables.at(s, lid);
      if (out == kNoPort || !tree.fabric().peer(s, out).is_switch()) break;
      s = tree.fabric().peer(s, out).as_switch();
    }
  }
  return hosts;
}

// REQUIRES: both have this LID's entries wherever there is an up-down path.
void join(const SplitTree& split, const ForwardingTables& parts, Lid lid, ForwardingTables& tables) {
  const auto hosts = arrivals(split.tree, parts, lid);
  for (SwitchId part{}; index(part) < split.whole.size();) {
    SwitchId best = part;
    const SwitchId whole = split.whole[part];
    for (; index(part) < split.whole.size() && split.whole[part] == whole; part = id_at<SwitchId>(index(part) + 1))
      if (hosts[part] > hosts[best]) best = part;
    if (const PortNum port = parts.at(best, lid); port != kNoPort) tables.set(whole, lid, port);
  }
}

// A step for up_down_engine.h. Ftree as it is on another orientation of the tree, which may not be split.
ForwardingTables ftree_by_parts(const RoutingProblem& problem) {
  ForwardingTables tables = ftree(problem);
  const Result<SplitTree> split = split_tops(problem.tree, problem.costs);
  if (!split || split->whole.size() == problem.fabric.num_switches()) return tables;
  const ForwardingTables parts = ftree(RoutingProblem(split->tree));
  const std::vector<EndportId>& hosts = problem.order.hosts;
  parallel_for(hosts.size(), [&](std::size_t i) {
    const Endport& host = problem.fabric.at(hosts[i]);
    for (const Lid lid : lids_of(host)) join(*split, parts, lid, tables);
  });
  return tables;
}

}  // namespace

Result<Routing> Vpgft::route(const FatTree& tree) const {
  const RoutingProblem problem(tree);
  if (const auto split = split_tops(tree, problem.costs); !split)
    return fail(
        fmt::format("vpgft has to split top switches into parts that reach the same leaves: {}", split.error().message),
        "use pqft or ftree, which do without and route every fabric");
  return route_on_levels(problem, ftree_by_parts, {switch_paths_, {}});
}

}  // namespace espalier
