// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The step after the hosts' routes: every pair that no up-down path joins.
#pragma once

#include "core/base/result.h"
#include "core/engines/lid_targets.h"
#include "core/fabric/forwarding_tables.h"
#include "core/tree/costs.h"
#include "core/tree/fat_tree.h"

namespace espalier {

// Fills what the closed form left empty: through the subtrees of each connected part where every part that needs some
// has them (subtree_plan.h), else turn by turn (turns.h). Entries that the closed form made stay as they are, but for
// those of selective switches (subtree.h).
// REQUIRES: `tables` have an entry wherever the cost is finite, downward where the down-cost is.
// Errors: a pair that the turns could not join; `tables` are then incomplete.
[[nodiscard]] Status complete_tables(const FatTree& tree, const UpDownCosts& costs, const LidTargets& targets,
                                     ForwardingTables& tables);

// Pairs of hosts on different switches that no up-down path joins.
[[nodiscard]] std::uint64_t count_unreached_hosts(const FatTree& tree, const UpDownCosts& costs);

}  // namespace espalier
