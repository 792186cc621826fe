// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/dividers.h"

#include <algorithm>

namespace espalier {

IdVector<SwitchId, std::uint32_t> dividers(const FatTree& tree) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 31;
  IdVector<SwitchId, std::uint32_t> divider(tree.fabric().num_switches(), 1);
  for (const SwitchId s : tree.ascending()) {
    const auto climbs = [&](const PortGroup& up) { return tree.level(up.remote) > tree.level(s); };
    const auto ups = tree.up_groups(s);
    const auto climbing = static_cast<std::uint64_t>(std::count_if(ups.begin(), ups.end(), climbs));
    const auto above = static_cast<std::uint32_t>(std::min(divider[s] * climbing, kMost));
    for (const PortGroup& up : ups)
      if (climbs(up)) divider[up.remote] = std::max(divider[up.remote], above);
  }
  return divider;
}

}  // namespace espalier
