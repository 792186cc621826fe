// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/costs.h"

#include <algorithm>
#include <vector>

#include "core/base/byte_block.h"
#include "core/base/parallel.h"

namespace espalier {
namespace {

constexpr std::size_t kBlock = ByteBlock::kSize;  // a cache line: threads never share one

static_assert(kUnreachable == 255);  // one_more() leaves it

// Per switch one that is above it in the order, with the same switches above them both; else itself. Not every one is found.
IdVector<SwitchId, SwitchId> with_same_parents(const FatTree& tree) {
  IdVector<SwitchId, SwitchId> like(tree.fabric().num_switches());
  IdVector<SwitchId, SwitchId> last(like.size(), kNoSwitch);  // per switch: the last whose first parent it is
  const auto parent_of = [](const PortGroup& up) { return up.remote; };
  const auto ascending = tree.ascending();
  for (auto it = ascending.rbegin(); it != ascending.rend(); ++it) {
    const auto ups = tree.up_groups(*it);
    like[*it] = *it;
    if (ups.empty()) continue;
    SwitchId& other = last[ups[0].remote];
    if (other != kNoSwitch && std::ranges::equal(ups, tree.up_groups(other), {}, parent_of, parent_of))
      like[*it] = other;
    other = *it;
  }
  return like;
}

bool reaches_any(const Hops* block) { return (ByteBlock::load(block) ^ ByteBlock(kUnreachable)).any(); }

// Both kinds of costs, row by row.
struct Rows {
  const Hops* down;
  Hops* cost;
  std::size_t stride;
};

// Costs of some destinations, from the highest switch down. `like`: with_same_parents(). REQUIRES: down-costs are final.
void climb(const FatTree& tree, const IdVector<SwitchId, SwitchId>& like, const Rows& rows, std::size_t first_column,
           std::size_t last_column) {
  const auto down = [&](SwitchId s) { return rows.down + index(s) * rows.stride; };
  const auto cost = [&](SwitchId s) { return rows.cost + index(s) * rows.stride; };
  const auto ascending = tree.ascending();
  for (auto it = ascending.rbegin(); it != ascending.rend(); ++it)
    for (std::size_t column = first_column; column < last_column; column += kBlock) {
      const SwitchId other = like[*it];
      ByteBlock upward(kUnreachable);
      if (other != *it && !reaches_any(down(other) + column)) {
        upward = ByteBlock::load(cost(other) + column);  // all of them upward
      } else {
        for (const PortGroup& up : tree.up_groups(*it)) upward = min(upward, ByteBlock::load(cost(up.remote) + column));
        upward = one_more(upward);
      }
      const ByteBlock below = ByteBlock::load(down(*it) + column);
      select(equal(below, ByteBlock(kUnreachable)), upward, below).store(cost(*it) + column);
    }
}

}  // namespace

UpDownCosts::UpDownCosts(const FatTree& tree)
    : stride_((tree.fabric().num_switches() + kBlock - 1) / kBlock * kBlock),
      down_(tree.fabric().num_switches() * stride_),
      cost_(down_.size()) {
  down_.fill_bytes(kUnreachable);
  for (const SwitchId s : tree.fabric().switches()) down_[index(s) * stride_ + index(s)] = 0;
  const IdVector<SwitchId, SwitchId> like = with_same_parents(tree);
  parallel_blocks(stride_ / kBlock, 4, [&](std::size_t first, std::size_t last) {
    propagate(tree, first * kBlock, last * kBlock);
    climb(tree, like, {down_.data(), cost_.data(), stride_}, first * kBlock, last * kBlock);
  });
}

// Down-costs, from the lowest switch up.
void UpDownCosts::propagate(const FatTree& tree, std::size_t first_column, std::size_t last_column) {
  const auto down = [&](SwitchId s) { return down_.data() + index(s) * stride_; };
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
}

}  // namespace espalier
