// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/modulo/closed_form_by_planes.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "core/base/parallel.h"
#include "core/engines/modulo/fast_divide.h"
#include "core/engines/modulo/pattern_row.h"
#include "core/tree/planes.h"

namespace espalier {
namespace {

constexpr std::size_t kLeastRowsOfTask = 16;

// Chooses anew among `ups`, which are in another order than the tree's.
void choose(const RoutingProblem& problem, SwitchId s, const std::vector<const PortGroup*>& ups,
            std::span<PortNum> row) {
  std::vector<const PortGroup*> closer;
  const FastDivider divider(problem.divider[s]);
  for (const SwitchId t : problem.fabric.switches()) {
    if (problem.costs.down_cost(s, t) != kUnreachable || problem.costs.cost(s, t) == kUnreachable) continue;
    closer.clear();
    for (const PortGroup* up : ups)
      if (problem.costs.leads_closer(s, up->remote, t)) closer.push_back(up);
    if (closer.empty()) continue;
    const FastDivider by_groups(static_cast<std::uint32_t>(closer.size()));
    for (const LidTarget& target : problem.targets.at(t))
      spread_by_modulo(problem.tree, closer, target, divider, by_groups, &row[index(target.base)]);
  }
}

}  // namespace

ForwardingTables closed_form_by_planes(const RoutingProblem& problem, ForwardingTables tables) {
  const auto plane = planes(problem.tree);
  parallel_blocks(problem.fabric.num_switches(), kLeastRowsOfTask, [&](std::size_t first, std::size_t last) {
    std::vector<const PortGroup*> ups;
    const auto key = [&](const PortGroup* up) { return std::tuple(plane[up->remote], up->remote); };
    const auto before = [&](const PortGroup* a, const PortGroup* b) { return key(a) < key(b); };
    for (std::size_t i = first; i < last; ++i) {
      const auto s = id_at<SwitchId>(i);
      ups.clear();
      for (const PortGroup& up : problem.tree.up_groups(s)) ups.push_back(&up);
      if (std::is_sorted(ups.begin(), ups.end(), before)) continue;
      std::sort(ups.begin(), ups.end(), before);
      choose(problem, s, ups, tables.row(s));
    }
  });
  return tables;
}

}  // namespace espalier
