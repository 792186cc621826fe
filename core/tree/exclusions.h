// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What an admin's rules about switches (fabric/rules/switch_rules.h) make of a tree.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/result.h"
#include "core/fabric/rules/switch_rules.h"
#include "core/tree/fat_tree.h"

namespace espalier {

// Switches that a rule of `roots` or a rank of 0 matches. Errors: there are such rules, and none matches a switch.
[[nodiscard]] Result<std::vector<SwitchId>> named_roots(const Fabric& fabric, const SwitchRules& rules);

// Gives switches that a rule of `ranks` matches the level so far below the highest one; the last rule counts.
void apply_ranks(const Fabric& fabric, const SwitchRules& rules, IdVector<SwitchId, std::uint32_t>& level);

// The tree with excluded switches and weak spines below all their neighbors, as far as hosts have other paths. Who is
// demoted, who cannot be, and which rule matches nobody stands among the irregularities.
[[nodiscard]] FatTree apply_exclusions(FatTree tree, const SwitchRules& rules);

}  // namespace espalier
