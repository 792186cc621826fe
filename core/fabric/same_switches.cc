// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/fabric/same_switches.h"

namespace espalier {

IdVector<SwitchId, SwitchId> same_switches(const Fabric& from, const Fabric& to) {
  IdVector<SwitchId, SwitchId> in_to(from.num_switches(), kNoSwitch);
  std::size_t next = 0;
  for (const SwitchId s : from.switches()) {
    while (next < to.num_switches() && to.at(id_at<SwitchId>(next)).guid < from.at(s).guid) ++next;
    if (next == to.num_switches()) break;
    if (const SwitchId same = id_at<SwitchId>(next); to.at(same).guid == from.at(s).guid) in_to[s] = same;
  }
  return in_to;
}

}  // namespace espalier
