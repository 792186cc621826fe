// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/shift_bound.h"

#include <algorithm>
#include <vector>

#include "core/tree/components.h"

namespace espalier {
namespace {

// Of the pods that switches up to level `top` form.
std::size_t bound_at(const FatTree& tree, const TreeChannels& channels, std::size_t num_hosts, std::size_t shares,
                     std::size_t top) {
  const Fabric& fabric = tree.fabric();
  const auto is_inside = [&](SwitchId s) { return index(tree.level(s)) <= top; };
  const auto pod = components(tree, is_inside);
  struct Cut {
    std::size_t hosts = 0;
    std::size_t up = 0;  // channels that leave
  };
  std::vector<Cut> cuts(pod.size());
  for (const SwitchId s : fabric.switches()) {
    if (!is_inside(s)) continue;
    cuts[pod[s]].hosts += tree.hosts(s).size();
    for (std::size_t i = 0; i < channels.num_up(s); ++i)
      if (!is_inside(channels.remote(channels.at(s, i)))) ++cuts[pod[s]].up;
  }
  std::size_t bound = 0;
  for (const auto [hosts, up] : cuts)
    if (up > 0) bound = std::max(bound, (std::min(hosts, num_hosts - hosts) * shares + up - 1) / up);
  return bound;
}

}  // namespace

std::uint32_t worst_shift_bound(const FatTree& tree, const TreeChannels& channels, std::size_t num_hosts,
                                std::uint32_t shares_per_flow) {
  std::size_t bound = 0;
  for (std::size_t top = 0; top + 1 < tree.num_levels(); ++top)
    bound = std::max(bound, bound_at(tree, channels, num_hosts, shares_per_flow, top));
  return static_cast<std::uint32_t>(bound);
}

}  // namespace espalier
