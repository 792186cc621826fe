// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Switches that are cabled alike and have nearly the same rows, found from cabling and a sample of entries: no levels,
// no names. On a fat tree the leaves of a pod, the switches of one plane, the tops of one plane.
#pragma once

#include <vector>

#include "core/analysis/soundness/dependencies/lid_ranges.h"
#include "core/fabric/fabric.h"
#include "core/fabric/forwarding_tables.h"

namespace espalier {

// Per switch: the one of its family that stands for it, lower than it in id; itself where none is like it. Who stands
// for others stands for itself.
[[nodiscard]] IdVector<SwitchId, SwitchId> find_siblings(const Fabric& fabric, const ForwardingTables& tables,
                                                         const std::vector<LidRange>& lids);

// Whether both have the same switch behind this port. REQUIRES: not port 0.
[[nodiscard]] inline bool leads_to_the_same(const Fabric& fabric, SwitchId a, SwitchId b, PortNum port) {
  if (index(port) > fabric.at(a).num_ports || index(port) > fabric.at(b).num_ports) return false;
  const Peer& one = fabric.peer(a, port);
  const Peer& other = fabric.peer(b, port);
  return one.is_switch() && other.is_switch() && one.as_switch() == other.as_switch();
}

}  // namespace espalier
