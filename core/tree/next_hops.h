// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Next hops: by which ports a switch may send on shortest up-down paths (C and P of Gliksberg 2022, 4.2.2).
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "core/tree/costs.h"
#include "core/tree/fat_tree.h"

namespace espalier {

// The groups among which C(s,t) is: downward where t is below s, else upward.
[[nodiscard]] inline std::span<const PortGroup> groups_toward(const FatTree& tree, const UpDownCosts& costs, SwitchId s,
                                                              SwitchId t) {
  return costs.down_cost(s, t) != kUnreachable ? tree.down_groups(s) : tree.up_groups(s);
}

// Whether these groups, of two switches or of one, are the same ports to the same switches.
[[nodiscard]] inline bool are_same_hops(const FatTree& tree, std::span<const PortGroup> a,
                                        std::span<const PortGroup> b) {
  return std::ranges::equal(a, b, [&](const PortGroup& x, const PortGroup& y) {
    return x.remote == y.remote && std::ranges::equal(tree.ports(x), tree.ports(y));
  });
}

// C(s,t) of (4.5), in GUID order: the groups that lead one hop closer. Empty when s = t or there is no up-down path.
[[nodiscard]] std::vector<PortGroup> closer_groups(const FatTree& tree, const UpDownCosts& costs, SwitchId s,
                                                   SwitchId t);

// P(s,t) of (4.6): all ports of s on a shortest up-down path to t.
[[nodiscard]] std::vector<PortNum> alternative_ports(const FatTree& tree, const UpDownCosts& costs, SwitchId s,
                                                     SwitchId t);

}  // namespace espalier
