// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Which leaves are below each switch of a tree, as bits.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/tree/fat_tree.h"

namespace espalier {

[[nodiscard]] inline bool climbs_one_level(const FatTree& tree, SwitchId s, const PortGroup& up) {
  return index(tree.level(up.remote)) == index(tree.level(s)) + 1;
}

// Leaves (any switches with hosts) below each switch, itself included, as bits. Links within a level or past one do not
// count: along a chain of leaves all would be below the last one.
class LeavesBelow {
 public:
  explicit LeavesBelow(const FatTree& tree) : count_(tree.fabric().num_switches()) {
    const Fabric& fabric = tree.fabric();
    for (const SwitchId s : fabric.switches())
      if (!tree.hosts(s).empty()) hosts_.push_back(tree.hosts(s).size());
    words_ = (hosts_.size() + 63) / 64;
    bits_.resize(fabric.num_switches() * words_);
    std::size_t leaf = 0;
    for (const SwitchId s : fabric.switches())
      if (!tree.hosts(s).empty()) {
        bits_[index(s) * words_ + leaf / 64] |= std::uint64_t{1} << (leaf % 64);
        ++leaf;
      }
    for (const SwitchId s : tree.ascending())
      for (const PortGroup& up : tree.up_groups(s)) {
        if (!climbs_one_level(tree, s, up)) continue;
        std::uint64_t* const above = bits_.data() + index(up.remote) * words_;
        for (std::size_t w = 0; const std::uint64_t word : at(s)) above[w++] |= word;
      }
    for (const SwitchId s : fabric.switches())
      for (const std::uint64_t word : at(s)) count_[s] += static_cast<std::size_t>(std::popcount(word));
  }

  [[nodiscard]] std::span<const std::uint64_t> at(SwitchId s) const {
    return {bits_.data() + index(s) * words_, words_};
  }
  [[nodiscard]] std::size_t words() const { return words_; }
  [[nodiscard]] std::size_t count(SwitchId s) const { return count_[s]; }

  // Hosts below s that are not below `other`.
  [[nodiscard]] std::size_t hosts_only_below(SwitchId s, SwitchId other) const {
    return sum_hosts([&](std::size_t w) { return at(s)[w] & ~at(other)[w]; });
  }
  [[nodiscard]] std::size_t hosts_below(SwitchId s) const {
    return sum_hosts([&](std::size_t w) { return at(s)[w]; });
  }

 private:
  // Of the leaves whose bits are in word(w) for each w.
  template <class Word>
  [[nodiscard]] std::size_t sum_hosts(Word word) const {
    std::size_t sum = 0;
    for (std::size_t w = 0; w < words_; ++w)
      for (std::uint64_t bits = word(w); bits != 0; bits &= bits - 1)
        sum += hosts_[w * 64 + static_cast<std::size_t>(std::countr_zero(bits))];
    return sum;
  }

  std::vector<std::size_t> hosts_;  // per leaf
  std::size_t words_ = 0;
  std::vector<std::uint64_t> bits_;
  IdVector<SwitchId, std::size_t> count_;
};

}  // namespace espalier
