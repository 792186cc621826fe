// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Neighboring LIDs of one switch that all other switches send to alike, and the switch itself as well unless it delivers them:
// what depends on one of them depends on all. Those of a host mostly are where engines do not tell LID offsets apart, and those
// of all hosts of a switch on fabrics that are no trees.
#pragma once

#include <vector>

#include "core/analysis/soundness/dependencies/lid_ranges.h"
#include "core/fabric/fabric.h"
#include "core/fabric/forwarding_tables.h"

namespace espalier {

// Of `lids` as large ones as there are; empty: hardly any LIDs are alike. REQUIRES: all are below tables.width().
[[nodiscard]] std::vector<LidRange> alike_ranges(const Fabric& fabric, const ForwardingTables& tables,
                                                 const std::vector<LidRange>& lids);

}  // namespace espalier
