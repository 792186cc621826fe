// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/costs.h"

#include <algorithm>
#include <vector>

#include "core/base/byte_block.h"
#include "core/base/parallel.h"

namespace espalier {
namespace {

constexpr std::size_t kBlock = ByteBlock::kSize;  // a cache line: threads never share one

// One hop more; infinity + 1 = infinity.
ByteBlock one_more(const ByteBlock& hops) {
  return hops + select(equal(hops, ByteBlock(kUnreachable)), ByteBlock(0), ByteBlock(1));
}

}  // namespace

UpDownCosts::UpDownCosts(const FatTree& tree)
    : stride_((tree.fabric().num_switches() + kBlock - 1) / kBlock * kBlock),
      down_(tree.fabric().num_switches() * stride_),
      cost_(down_.size()) {
  down_.fill_bytes(kUnreachable);
  for (const SwitchId s : tree.fabric().switches()) down_[index(s) * stride_ + index(s)] = 0;
  parallel_blocks(stride_ / kBlock, 4,
                  [&](std::size_t first, std::size_t last) { propagate(tree, first * kBlock, last * kBlock); });
}

void UpDownCosts::propagate(const FatTree& tree, std::size_t first_column, std::size_t last_column) {
  const auto down = [&](SwitchId s) { return down_.data() + index(s) * stride_; };
  const auto cost = [&](SwitchId s) { return cost_.data() + index(s) * stride_; };
  const auto ascending = tree.ascending();

  std::vector<std::uint8_t> reaches;  // whether a switch goes down to any of a block: most do not
  for (std::size_t column = first_column; column < last_column; column += kBlock) {
    reaches.assign(tree.fabric().num_switches(), 0);
    for (std::size_t s = column; s < std::min(column + kBlock, reaches.size()); ++s) reaches[s] = 1;
    for (const SwitchId s : ascending) {
      if (reaches[index(s)] == 0) continue;
      const ByteBlock own = one_more(ByteBlock::load(down(s) + column));
      for (const PortGroup& up : tree.up_groups(s)) {
        Hops* const above = down(up.remote) + column;
        min(ByteBlock::load(above), own).store(above);
        reaches[index(up.remote)] = 1;
      }
    }
  }
  // From here on down-costs are final.

  for (auto it = ascending.rbegin(); it != ascending.rend(); ++it)
    for (std::size_t column = first_column; column < last_column; column += kBlock) {
      ByteBlock above(kUnreachable);
      for (const PortGroup& up : tree.up_groups(*it)) above = min(above, ByteBlock::load(cost(up.remote) + column));
      const ByteBlock below = ByteBlock::load(down(*it) + column);
      select(equal(below, ByteBlock(kUnreachable)), one_more(above), below).store(cost(*it) + column);
    }
}

}  // namespace espalier
