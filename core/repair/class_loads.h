// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// How full every channel is under every shift by whole leaves.
//
// The class of a flow from a host on leaf x to a host on leaf y is (y - x) modulo the number of leaves, leaves in
// topological order. Flows of one class all run at the same time when everybody sends k leaves further, so the load of
// a channel in a class is what its buffer sees in that phase of an all-to-all. Each pair (leaf x, LID of a host on y)
// counts one: the hosts of x send to it one after the other.
//
// One byte per channel and class, copied on write: a repair touches few channels. A cell that once held 255 stays full:
// nothing is worth more care there. With very many leaves neighboring classes share a cell, see kMostCells.
//
// A price is the marginal cost of one flow more, with load to the sixth power: four times that of its class, and once
// that of each neighbor, since a shift by a part of a leaf has flows of two neighboring classes.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/large_array.h"
#include "core/fabric/fabric.h"

namespace espalier {

class ClassLoads {
 public:
  static constexpr std::size_t kMostCells = std::size_t{256} << 20;

  ClassLoads() = default;
  // Empty. Rows for the channels between switches.
  ClassLoads(const Fabric& fabric, std::size_t num_leaves);

  [[nodiscard]] std::size_t class_of(std::uint32_t from_leaf, std::uint32_t to_leaf) const {
    const std::size_t shift = to_leaf >= from_leaf ? to_leaf - from_leaf : to_leaf + num_leaves_ - from_leaf;
    return num_classes_ == num_leaves_ ? shift : shift * num_classes_ / num_leaves_;
  }
  // REQUIRES: c leads from a switch to a switch.
  [[nodiscard]] std::uint8_t at(ChannelId c, std::size_t cls) const { return rows_[index(c)][cls]; }
  // The more of the two classes beside this one.
  [[nodiscard]] std::uint8_t most_beside(ChannelId c, std::size_t cls) const {
    const std::uint8_t* const row = rows_[index(c)];
    return std::max(row[cls == 0 ? num_classes_ - 1 : cls - 1], row[cls + 1 == num_classes_ ? 0 : cls + 1]);
  }
  void add(ChannelId c, std::size_t cls) {
    std::uint8_t& cell = own_row(c)[cls];
    if (cell != kFull) ++cell;
  }
  void remove(ChannelId c, std::size_t cls) {
    std::uint8_t& cell = own_row(c)[cls];
    if (cell != kFull && cell != 0) --cell;
  }
  [[nodiscard]] std::uint64_t price(ChannelId c, std::size_t cls) const {
    const std::uint8_t* const row = rows_[index(c)];
    const std::size_t before = cls == 0 ? num_classes_ - 1 : cls - 1;
    const std::size_t behind = cls + 1 == num_classes_ ? 0 : cls + 1;
    return 4 * kMarginal[row[cls]] + kMarginal[row[before]] + kMarginal[row[behind]];
  }
  // The most in any class.
  [[nodiscard]] std::uint8_t most(ChannelId c) const;

  // A copy that shares all rows until it writes them. REQUIRES: this outlives it, and does not change meanwhile.
  [[nodiscard]] ClassLoads view() const;

 private:
  static constexpr std::uint8_t kFull = 255;
  static constexpr std::array<std::uint64_t, 256> kMarginal = [] {
    std::array<std::uint64_t, 256> marginal{};
    const auto sixth = [](std::uint64_t z) { return z * z * z * z * z * z; };
    for (std::uint64_t z = 0; z < 256; ++z) marginal[z] = sixth(z + 1) - sixth(z);
    return marginal;
  }();

  std::uint8_t* own_row(ChannelId c) {
    if (owned_[index(c)] == 0) take_over(c);
    return rows_[index(c)];
  }
  void take_over(ChannelId c);

  std::size_t num_leaves_ = 1;
  std::size_t num_classes_ = 1;
  std::vector<std::uint8_t*> rows_;                      // per channel; null: leads to no switch
  std::vector<std::uint8_t> owned_;                      // per channel: the row is ours to write
  LargeArray<std::uint8_t> cells_;                       // of the first
  std::vector<std::unique_ptr<std::uint8_t[]>> chunks_;  // of a view: rows that it has written
  std::size_t rows_left_ = 0;                            // in the last chunk
};

}  // namespace espalier
