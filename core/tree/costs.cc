// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/costs.h"

#include <algorithm>

#include "core/base/parallel.h"

namespace espalier {
namespace {

constexpr std::size_t kLine = 64;  // bytes of a cache line: threads never share one

// to[i] = min(to[i], from[i] + 1), where infinity + 1 = infinity. Vectorises.
void relax(const Hops* from, Hops* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const Hops one_more = static_cast<Hops>(from[i] + (from[i] != kUnreachable));
    to[i] = std::min(to[i], one_more);
  }
}

}  // namespace

UpDownCosts::UpDownCosts(const FatTree& tree)
    : stride_((tree.fabric().num_switches() + kLine - 1) / kLine * kLine),
      down_(tree.fabric().num_switches() * stride_, kUnreachable),
      cost_(down_.size(), kUnreachable) {
  for (const SwitchId s : tree.fabric().switches()) down_[index(s) * stride_ + index(s)] = 0;
  parallel_blocks(stride_ / kLine, 1,
                  [&](std::size_t first, std::size_t last) { propagate(tree, first * kLine, last * kLine); });
}

void UpDownCosts::propagate(const FatTree& tree, std::size_t first_column, std::size_t last_column) {
  const std::size_t count = last_column - first_column;
  const auto down = [&](SwitchId s) { return down_.data() + index(s) * stride_ + first_column; };
  const auto cost = [&](SwitchId s) { return cost_.data() + index(s) * stride_ + first_column; };
  const auto ascending = tree.ascending();

  for (const SwitchId s : ascending)
    for (const PortGroup& up : tree.up_groups(s)) relax(down(s), down(up.remote), count);
  // From here on down-costs are final.

  for (auto it = ascending.rbegin(); it != ascending.rend(); ++it) {
    Hops* const own = cost(*it);
    for (const PortGroup& up : tree.up_groups(*it)) relax(cost(up.remote), own, count);
    const Hops* const below = down(*it);
    for (std::size_t i = 0; i < count; ++i) own[i] = below[i] != kUnreachable ? below[i] : own[i];
  }
}

}  // namespace espalier
