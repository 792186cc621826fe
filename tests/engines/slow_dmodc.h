// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Dmodc as the thesis prints it, for layered fat trees: maps, recursion, one entry at a time, nothing shared with
// core/engines or core/tree but the levels and the order of hosts. Slow on purpose; only tests may use it.
#pragma once

#include "core/fabric/forwarding_tables.h"
#include "core/tree/fat_tree.h"

namespace espalier::test {

// Entries for host LIDs (offset 0) on switches with an up-down path; all others kNoPort.
// `hosts` = all hosts by topological id. REQUIRES: every cable joins neighbouring levels; hosts sit on leaves.
[[nodiscard]] ForwardingTables slow_dmodc(const FatTree& tree, const std::vector<EndportId>& hosts);

}  // namespace espalier::test
