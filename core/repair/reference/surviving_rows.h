// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The reference's tables as the present fabric numbers its switches and LIDs.
#pragma once

#include <cstdint>
#include <vector>

#include "core/fabric/forwarding_tables.h"
#include "core/repair/memory/patched_tables.h"
#include "core/repair/reference/reference.h"
#include "core/repair/survivors/survivors.h"

namespace espalier {

// The reference's rows of the switches that are left, in their present order; of new ones `blank`. Shares their memory, and
// the LIDs are those of the reference. REQUIRES: `blank` has as many entries, and both outlive the result.
[[nodiscard]] PatchedTables rows_left(const Reference& reference, const Survivors& alive,
                                      const std::vector<PortNum>& blank);

// From the reference's LIDs to the present ones, in one piece.
[[nodiscard]] ForwardingTables renumbered(const TableRows& tables, const Survivors& alive, const Fabric& now);

// Both steps.
[[nodiscard]] ForwardingTables surviving_tables(const Reference& reference, const Survivors& alive, const Fabric& now);

// Entries of switches and LIDs that are in both and differ. `tables` are of the present fabric.
[[nodiscard]] std::uint64_t count_changes(const Reference& reference, const Survivors& alive, const TableRows& tables);

}  // namespace espalier
