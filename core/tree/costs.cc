// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/costs.h"

#include <algorithm>

#include "core/base/parallel.h"

namespace espalier {
namespace {

constexpr std::size_t kBlock = UpDownCosts::kBlock;  // a cache line: threads never share one

// to[i] = min(to[i], from[i] + 1), where infinity + 1 = infinity. Blocks of a known size vectorize at any -O.
void relax(const Hops* __restrict from, Hops* __restrict to, std::size_t count) {
  for (std::size_t block = 0; block < count; block += kBlock)
    for (std::size_t i = block; i < block + kBlock; ++i) {
      const Hops one_more = static_cast<Hops>(from[i] + (from[i] != kUnreachable));
      to[i] = std::min(to[i], one_more);
    }
}

}  // namespace

UpDownCosts::UpDownCosts(const FatTree& tree)
    : num_switches_(tree.fabric().num_switches()),
      stride_((num_switches_ + kBlock - 1) / kBlock * kBlock),
      below_(stride_ / kBlock * num_switches_),
      down_(num_switches_ * stride_, kUnreachable),
      cost_(down_.size(), kUnreachable) {
  for (const SwitchId s : tree.fabric().switches()) down_[index(s) * stride_ + index(s)] = 0;
  parallel_blocks(stride_ / kBlock, 4, [&](std::size_t first, std::size_t last) {
    for (std::size_t block = first; block < last; ++block) propagate_up(tree, block);
    propagate_down(tree, first * kBlock, last * kBlock);
  });
}

// Down-costs.
void UpDownCosts::propagate_up(const FatTree& tree, std::size_t block) {
  std::uint8_t* const below = below_.data() + block * num_switches_;
  for (std::size_t s = block * kBlock; s < std::min((block + 1) * kBlock, num_switches_); ++s) below[s] = 1;
  Hops* const down = down_.data() + block * kBlock;
  for (const SwitchId s : tree.ascending()) {
    if (below[index(s)] == 0) continue;
    for (const PortGroup& up : tree.up_groups(s)) {
      relax(down + index(s) * stride_, down + index(up.remote) * stride_, kBlock);
      below[index(up.remote)] = 1;
    }
  }
}

// Costs, from final down-costs.
void UpDownCosts::propagate_down(const FatTree& tree, std::size_t first_column, std::size_t last_column) {
  const std::size_t count = last_column - first_column;
  const auto ascending = tree.ascending();
  for (auto it = ascending.rbegin(); it != ascending.rend(); ++it) {
    Hops* __restrict const own = cost_.data() + index(*it) * stride_ + first_column;
    for (const PortGroup& up : tree.up_groups(*it))
      relax(cost_.data() + index(up.remote) * stride_ + first_column, own, count);
    const Hops* __restrict const below = down_.data() + index(*it) * stride_ + first_column;
    for (std::size_t block = 0; block < count; block += kBlock)
      for (std::size_t i = block; i < block + kBlock; ++i) own[i] = below[i] != kUnreachable ? below[i] : own[i];
  }
}

}  // namespace espalier
