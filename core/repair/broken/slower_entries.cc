// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/broken/slower_entries.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/base/sort_unique.h"

namespace espalier {
namespace {

Survivors without_slower(const PreparedReference& prepared, const Survivors& alive) {
  Survivors rest = alive;
  rest.slower.clear();
  for (const auto& [c, share] : alive.slower) {
    rest.channel[c] = 0;
    rest.losers.push_back(prepared.fabric().source(c));
  }
  sort_unique(rest.losers);
  return rest;
}

}  // namespace

std::vector<std::pair<std::uint32_t, SwitchId>> find_slower_entries(const WorkingState& state,
                                                                    const OpenEntries& open) {
  const PreparedReference& prepared = state.prepared;
  const Survivors rest = without_slower(prepared, state.alive);
  const SurvivorCosts costs(prepared.tree(), prepared.costs(), rest);
  const WorkingState without(prepared, rest, costs, state.tables);
  const OpenEntries found = find_open_entries(without);
  check(found.columns == open.columns, "the same columns are concerned");
  std::vector<std::pair<std::uint32_t, SwitchId>> slower;
  for (std::uint32_t column = 0; column < found.columns.size(); ++column) {
    const std::size_t lid = found.columns[column];
    const SwitchId t = prepared.destination(lid);
    if (!prepared.is_host_lid(lid)) continue;
    const auto known = open.at(column);
    for (const SwitchId s : found.at(column))
      if (costs.cost(s, t) == state.costs.cost(s, t) && costs.down_cost(s, t) == state.costs.down_cost(s, t) &&
          std::find(known.begin(), known.end(), s) == known.end())
        slower.emplace_back(column, s);
  }
  return slower;
}

}  // namespace espalier
