// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A tree whose top switches have several paths down to a leaf, cut up: each such top becomes as many switches as it has
// paths, its parts, with one path to each leaf (Gliksberg 2022, annex 3: from a vPGFT to its PGFT).
//
// Example: a top above M0, M1, M2, M3, of which M0 and M1 lead to the same two leaves, M2 and M3 to two others: one
// part above M0 and M2, one above M1 and M3.
#pragma once

#include <memory>

#include "core/base/result.h"
#include "core/tree/costs.h"
#include "core/tree/fat_tree.h"

namespace espalier {

struct SplitTree {
  std::unique_ptr<const Fabric> fabric;
  FatTree tree;                        // levels, ports and the LIDs of end ports as before; parts have no LID
  IdVector<SwitchId, SwitchId> whole;  // per switch of it, the one that it is or was part of
};

// Down-groups are assigned in order: each to the first part that does not lead to its leaves yet.
// Errors: a top with hosts; a top of which one part would lead to fewer leaves than another, so that hosts that meet
// there could not any more.
[[nodiscard]] Result<SplitTree> split_tops(const FatTree& tree, const UpDownCosts& costs);

}  // namespace espalier
