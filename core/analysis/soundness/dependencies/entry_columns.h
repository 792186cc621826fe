// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The entries of all switches for some LIDs, LID by LID: who follows packets of one LID reads them one after the other
// instead of from a row each. Taken for many LIDs at once, since a cache line of a row has those of 64.
#pragma once

#include <span>
#include <vector>

#include "core/fabric/fabric.h"
#include "core/fabric/table_rows.h"

namespace espalier {

class EntryColumns {
 public:
  // Entries that lead to no switch are kNoPort. REQUIRES: the LIDs are below rows.width().
  EntryColumns(const Fabric& fabric, const TableRows& rows, std::span<const Lid> lids);

  // Those for the i-th LID, by switch.
  [[nodiscard]] std::span<const PortNum> column(std::size_t i) const {
    return {ports_.data() + i * num_switches_, num_switches_};
  }

 private:
  std::size_t num_switches_;
  std::vector<PortNum> ports_;
};

}  // namespace espalier
