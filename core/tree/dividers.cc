// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/dividers.h"

#include <algorithm>

namespace espalier {

IdVector<SwitchId, std::uint32_t> dividers(const FatTree& tree) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 31;
  IdVector<SwitchId, std::uint32_t> divider(tree.fabric().num_switches(), 1);
  for (const SwitchId s : tree.ascending()) {
    const std::uint64_t above = std::uint64_t{divider[s]} * tree.up_groups(s).size();
    for (const PortGroup& up : tree.up_groups(s))
      divider[up.remote] = std::max(divider[up.remote], static_cast<std::uint32_t>(std::min(above, kMost)));
  }
  return divider;
}

}  // namespace espalier
