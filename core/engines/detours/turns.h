// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Pairs without an up-down path where no single subtree carries them all: heavy damage, several ways down, hosts at odd
// places. Down-up turns are admitted one by one, each only if the channel dependencies of everything routed so far stay
// free of cycles (ChannelOrder).
//
// For a destination t the switches that reach it grow like ripples: who has a neighbour that reaches t, over a
// dependency that exists already or goes up-down, joins. Only when nobody is left who could join so is one new turn
// admitted, at the best place, and the ripple goes on. So turns stay few and close together: preferably all on the
// switches above one hub, the switch that reaches most others, which is then what subtree.h calls the root.
//
// No promise of success: a turn admitted early may forbid all that a later destination could use. The caller then
// falls back to an orientation from one root, where no pair is left over.
#pragma once

#include "core/base/result.h"
#include "core/engines/lid_targets.h"
#include "core/fabric/forwarding_tables.h"
#include "core/tree/costs.h"
#include "core/tree/fat_tree.h"

namespace espalier {

// Fills all entries without an up-down path. REQUIRES: `tables` hold the closed form.
// Errors: the pair that could not be joined; `tables` are then incomplete.
[[nodiscard]] Status route_by_turns(const FatTree& tree, const UpDownCosts& costs, const LidTargets& targets,
                                    ForwardingTables& tables);

}  // namespace espalier
