// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/measure/rewritten.h"

#include <algorithm>

#include "core/fabric/same_switches.h"

namespace espalier::tools {

TableDelta rewritten(const Fabric& before, const ForwardingTables& tables_before, const Fabric& after,
                     const ForwardingTables& tables_after) {
  ForwardingTables rows(after.num_switches(), id_at<Lid>(tables_before.width() - 1));
  const IdVector<SwitchId, SwitchId> in_before = same_switches(after, before);
  for (const SwitchId s : after.switches()) {
    const SwitchId old = in_before[s];
    if (old != kNoSwitch) std::copy(tables_before.row(old).begin(), tables_before.row(old).end(), rows.row(s).begin());
  }
  return difference(rows, tables_after);
}

}  // namespace espalier::tools
