// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/fabric/table_delta.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"

namespace espalier {

TableDelta difference(const ForwardingTables& before, const ForwardingTables& after) {
  check(before.num_switches() == after.num_switches(), "difference: the tables are of different fabrics");
  const auto entry = [](const ForwardingTables& tables, SwitchId s, std::size_t lid) {
    return lid < tables.width() ? tables.at(s, id_at<Lid>(lid)) : kNoPort;
  };
  const std::size_t width = std::max(before.width(), after.width());

  TableDelta delta;
  for (const SwitchId s : IdRange<SwitchId>(before.num_switches())) {
    TableDelta::SwitchChange change{s, 0, {}};
    for (std::size_t lid = 0; lid < width; ++lid) {
      if (entry(before, s, lid) == entry(after, s, lid)) continue;
      ++change.num_entries;
      const auto block = static_cast<std::uint16_t>(lid / kLidsPerBlock);
      if (change.blocks.empty() || change.blocks.back() != block) change.blocks.push_back(block);
    }
    if (change.num_entries == 0) continue;
    delta.num_entries += change.num_entries;
    delta.num_blocks += change.blocks.size();
    delta.switches.push_back(std::move(change));
  }
  return delta;
}

}  // namespace espalier
