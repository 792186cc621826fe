// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/soundness/dependencies/entry_columns.h"

#include <array>

namespace espalier {

EntryColumns::EntryColumns(const Fabric& fabric, const TableRows& rows, std::span<const Lid> lids)
    : num_switches_(fabric.num_switches()), ports_(num_switches_ * lids.size(), kNoPort) {
  std::array<PortNum, 256> kept{};
  std::vector<PortNum> buffer;
  for (const SwitchId s : fabric.switches()) {
    kept.fill(kNoPort);
    for (const PortNum p : fabric.ports(s))
      if (fabric.peer(s, p).is_switch()) kept[index(p)] = p;
    const PortNum* const row = rows.row(s).in_one_piece(buffer);
    for (std::size_t i = 0; i < lids.size(); ++i)
      ports_[i * num_switches_ + index(s)] = kept[index(row[index(lids[i])])];
  }
}

}  // namespace espalier
