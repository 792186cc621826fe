// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Dmodc as the thesis prints it, for layered fat trees: maps, recursion, one entry at a time, nothing shared with
// core/engines or core/tree but the levels. Hosts are numbered by Algorithm 7 to the letter. Slow on purpose; only
// tests may use it.
#pragma once

#include "core/fabric/forwarding_tables.h"
#include "core/tree/fat_tree.h"

namespace espalier::test {

// Entries for host LIDs (offset 0) on switches with an up-down path; all others kNoPort.
// REQUIRES: every link joins neighboring levels, at most three of them; all end ports are hosts, and sit on leaves.
[[nodiscard]] ForwardingTables slow_dmodc(const FatTree& tree);

}  // namespace espalier::test
