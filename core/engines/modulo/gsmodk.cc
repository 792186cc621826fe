// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/modulo/gsmodk.h"

#include <algorithm>

#include "core/tree/order/grouped_order.h"

namespace espalier {
namespace {

// Up-groups at each level, from the leaves on.
std::vector<std::uint32_t> parents_by_level(const RoutingProblem& problem) {
  const FatTree& tree = problem.tree;
  std::vector<std::uint32_t> largest(tree.num_levels(), 1);
  for (const SwitchId s : tree.fabric().switches())
    largest[index(tree.level(s))] = std::max(largest[index(tree.level(s))], problem.divider[s]);
  std::vector<std::uint32_t> parents;
  for (std::size_t level = 0; level + 1 < largest.size() && largest[level + 1] % largest[level] == 0; ++level)
    parents.push_back(largest[level + 1] / largest[level]);
  return parents;
}

}  // namespace

SourceOffsets source_offsets(const RoutingProblem& problem, const NodeTypes& types) {
  const Fabric& fabric = problem.fabric;
  const NodeOrder order = grouped_order(fabric, problem.order, types);
  SourceOffsets offsets{{}, IdVector<EndportId, std::uint8_t>(fabric.num_endports())};
  std::uint32_t left = 1U << least_lmc(fabric, order);
  std::uint32_t divider = 1;
  std::uint32_t weight = 1;
  for (const std::uint32_t parents : parents_by_level(problem)) {
    std::uint32_t radix = std::min(parents, left);
    while (parents % radix != 0) --radix;
    if (radix > 1) {
      offsets.radices.push_back(radix);
      for (const EndportId e : order.hosts)
        offsets.number[e] =
            static_cast<std::uint8_t>(offsets.number[e] + order.of_endport[e] / divider % radix * weight);
    }
    weight *= radix;
    divider *= parents;
    left = radix == parents ? left / radix : 1;
  }
  return offsets;
}

}  // namespace espalier
