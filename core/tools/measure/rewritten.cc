// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/measure/rewritten.h"

#include <algorithm>

namespace espalier::tools {

TableDelta rewritten(const Fabric& before, const ForwardingTables& tables_before, const Fabric& after,
                     const ForwardingTables& tables_after) {
  ForwardingTables rows(after.num_switches(), id_at<Lid>(tables_before.width() - 1));
  for (const SwitchId s : after.switches()) {
    const SwitchId old = before.find_switch(after.at(s).guid);
    if (old != kNoSwitch) std::copy(tables_before.row(old).begin(), tables_before.row(old).end(), rows.row(s).begin());
  }
  return difference(rows, tables_after);
}

}  // namespace espalier::tools
