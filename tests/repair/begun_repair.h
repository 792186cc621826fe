// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A repair that has found its open entries and chosen nothing yet, to test one step of it by itself.
#pragma once

#include <vector>

#include "core/repair/broken/open_entries.h"
#include "core/repair/broken/working_state.h"

namespace espalier::test {

struct BegunRepair {
  BegunRepair(const PreparedReference& reference, const Fabric& now)
      : alive(find_survivors(reference.fabric(), now)),
        costs(reference.tree(), reference.costs(), alive),
        tables(rows_left(reference, now, alive)),
        state(reference, alive, costs, tables),
        open(find_open_entries(state)) {}
  BegunRepair(const BegunRepair&) = delete;
  BegunRepair& operator=(const BegunRepair&) = delete;

  Survivors alive;
  SurvivorCosts costs;
  PatchedTables tables;
  WorkingState state;
  OpenEntries open;

 private:
  static PatchedTables rows_left(const PreparedReference& reference, const Fabric& now, const Survivors& alive) {
    std::vector<const PortNum*> rows;
    for (const SwitchId s : now.switches()) rows.push_back(reference.reference().tables.row(alive.before[s]).data());
    return PatchedTables(TableRows(rows, reference.num_lids()));
  }
};

}  // namespace espalier::test
