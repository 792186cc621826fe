// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/costs.h"

#include <algorithm>

#include "core/base/byte_block.h"
#include "core/base/parallel.h"

namespace espalier {
namespace {

constexpr std::size_t kBlock = UpDownCosts::kBlock;  // a cache line: threads never share one

static_assert(kBlock == ByteBlock::kSize);

// One hop more; infinity + 1 = infinity.
ByteBlock one_more(const ByteBlock& hops) {
  return hops + select(equal(hops, ByteBlock(kUnreachable)), ByteBlock(0), ByteBlock(1));
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
    const ByteBlock own = one_more(ByteBlock::load(down + index(s) * stride_));
    for (const PortGroup& up : tree.up_groups(s)) {
      Hops* const above = down + index(up.remote) * stride_;
      min(ByteBlock::load(above), own).store(above);
      below[index(up.remote)] = 1;
    }
  }
}

// Costs, from final down-costs.
void UpDownCosts::propagate_down(const FatTree& tree, std::size_t first_column, std::size_t last_column) {
  const auto ascending = tree.ascending();
  for (auto it = ascending.rbegin(); it != ascending.rend(); ++it)
    for (std::size_t column = first_column; column < last_column; column += kBlock) {
      ByteBlock above(kUnreachable);
      for (const PortGroup& up : tree.up_groups(*it))
        above = min(above, ByteBlock::load(cost_.data() + index(up.remote) * stride_ + column));
      const std::size_t own = index(*it) * stride_ + column;
      const ByteBlock below = ByteBlock::load(down_.data() + own);
      select(equal(below, ByteBlock(kUnreachable)), one_more(above), below).store(cost_.data() + own);
    }
}

}  // namespace espalier
