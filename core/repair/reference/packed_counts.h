// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Small counts side by side, of four or eight bits each. Those of a window, 64 bits at most, are looked at and changed all at
// once, in one register. A count that has reached the highest value stays there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/base/byte_block.h"

namespace espalier {

class PackedCounts {
 public:
  enum class Width : std::uint8_t { kFourBits = 4, kByte = 8 };
  using Window = std::uint64_t;  // its counts, from the lowest bits on

  PackedCounts() : PackedCounts(Width::kByte) {}
  explicit PackedCounts(Width width)
      : bits_(static_cast<unsigned>(width)),
        ones_(bits_ == 4 ? 0x1111111111111111 : 0x0101010101010101),
        even_(bits_ == 4 ? 0x0F0F0F0F0F0F0F0F : 0x00FF00FF00FF00FF),
        even_ones_(even_ / highest()),
        carries_(even_ones_ << bits_) {}

  [[nodiscard]] bool is_narrow() const { return bits_ == 4; }
  [[nodiscard]] unsigned highest() const { return (1U << bits_) - 1; }
  // So many counts may be in a window, wherever it begins.
  [[nodiscard]] unsigned most_in_window() const { return is_narrow() ? 15 : 8; }
  // So many are in a block.
  [[nodiscard]] unsigned in_block() const { return ByteBlock::kSize * 8 / bits_; }
  // What a row takes, with room behind it, as windows are read and written whole.
  [[nodiscard]] std::size_t row_bytes(std::size_t counts) const { return (counts * bits_ + 7) / 8 + sizeof(Window); }
  // Of the counts in a window.
  [[nodiscard]] Window mask(unsigned counts) const {
    return counts * bits_ == 64 ? ~Window{0} : (Window{1} << counts * bits_) - 1;
  }
  // The byte of a row in which a count is.
  [[nodiscard]] std::size_t byte(std::size_t i) const { return i * bits_ / 8; }

  [[nodiscard]] Window window(const std::uint8_t* row, std::size_t first, Window mask) const {
    return (whole(row, first) >> shift(first)) & mask;
  }
  // REQUIRES: the limit is not zero.
  [[nodiscard]] bool any_at_least(Window window, unsigned limit) const {
    const Window up_to = (highest() + 1 - std::min(limit, highest())) * even_ones_;
    return ((((window & even_) + up_to) | (((window >> bits_) & even_) + up_to)) & carries_) != 0;
  }
  // Of a whole block of counts, that is any_at_least(limit + 1). REQUIRES: `first` is a multiple of
  // in_block(), the row in whole blocks.
  [[nodiscard]] bool any_above_in_block(const std::uint8_t* row, std::size_t first, unsigned limit) const {
    const ByteBlock block = ByteBlock::load(row + byte(first));
    const unsigned up_to = std::min(limit, highest() - 1);
    const auto any_above = [](const ByteBlock& bytes, unsigned most) {
      return less(ByteBlock(static_cast<std::uint8_t>(most)), bytes);
    };
    if (!is_narrow()) return any_above(block, up_to).any();
    const ByteBlock low = block & ByteBlock(static_cast<std::uint8_t>(highest()));
    return (any_above(low, up_to) | any_above(block, up_to << bits_ | highest())).any();
  }
  [[nodiscard]] unsigned most(Window window) const {
    unsigned most = 0;
    for (; window != 0; window >>= bits_) most = std::max(most, static_cast<unsigned>(window) & highest());
    return most;
  }
  // All counts of the window.
  void add(std::uint8_t* row, std::size_t first, Window mask) const {
    const Window now = window(row, first, mask);
    const Window more = any_at_least(now, highest()) ? that_are_not(now, highest()) : ones_;
    store(row, first, whole(row, first) + ((more & mask) << shift(first)));
  }
  // The same; none gets below zero.
  void remove(std::uint8_t* row, std::size_t first, Window mask) const {
    const Window now = window(row, first, mask);
    const Window fewer = any_is_at_end(now, mask) ? that_are_not(now, highest()) & that_are_not(now, 0) : ones_;
    store(row, first, whole(row, first) - ((fewer & mask) << shift(first)));
  }

  // Counts of half a byte, twice as many at once: two to a byte from that on to which a caller points.
  using Wide = std::uint64_t __attribute__((vector_size(16)));
  static constexpr unsigned kMostInWide = 31;  // wherever they begin
  // What a row takes, with room behind it for these, in whole blocks.
  [[nodiscard]] std::size_t wide_row_bytes(std::size_t counts) const {
    return (row_bytes(counts) + sizeof(Wide) + ByteBlock::kSize - 1) / ByteBlock::kSize * ByteBlock::kSize;
  }
  // A one for each of `count` counts behind the first `skipped`.
  [[nodiscard]] static Wide wide_ones(unsigned skipped, unsigned count) {
    Wide ones{};
    for (unsigned i = skipped; i < skipped + count; ++i) ones[i / 16] |= std::uint64_t{1} << i % 16 * 4;
    return ones;
  }
  // One more, or less, for each of these. False: one of them is at an end, and nothing has changed.
  [[nodiscard]] static bool add_wide(std::uint8_t* bytes, const Wide& ones) {
    const Wide all = wide(bytes);
    const Wide twos = all & (all >> 1);
    if (is_any(twos & (twos >> 2) & ones)) return false;
    return store_wide(bytes, all + ones);
  }
  [[nodiscard]] static bool remove_wide(std::uint8_t* bytes, const Wide& ones) {
    const Wide all = wide(bytes);
    const Wide twos = all & (all >> 1);
    const Wide any = all | (all >> 1);
    if (is_any(((twos & (twos >> 2)) | ~(any | (any >> 2))) & ones)) return false;
    return store_wide(bytes, all - ones);
  }

 private:
  [[nodiscard]] static Wide wide(const std::uint8_t* bytes) {
    Wide all;
    std::memcpy(&all, bytes, sizeof all);
    return all;
  }
  static bool store_wide(std::uint8_t* bytes, const Wide& all) {
    std::memcpy(bytes, &all, sizeof all);
    return true;
  }
  [[nodiscard]] static bool is_any(const Wide& bits) { return (bits[0] | bits[1]) != 0; }
  [[nodiscard]] unsigned shift(std::size_t first) const { return first * bits_ % 8; }
  [[nodiscard]] Window whole(const std::uint8_t* row, std::size_t first) const {
    Window all;
    std::memcpy(&all, row + byte(first), sizeof all);
    return all;
  }
  void store(std::uint8_t* row, std::size_t first, Window all) const {
    std::memcpy(row + byte(first), &all, sizeof all);
  }
  // Whether a count is zero or the highest: all bits of it are the same then.
  [[nodiscard]] bool any_is_at_end(Window window, Window mask) const {
    const Window top_bits = ones_ << (bits_ - 1);
    const Window others = top_bits - ones_;
    const Window changes = ((window ^ (window >> 1)) | ~mask) & others;  // from a bit to the next
    return ((changes + others) & top_bits) != top_bits;
  }
  // A one for each count that has not this value.
  [[nodiscard]] Window that_are_not(Window window, unsigned value) const {
    Window ones = 0;
    for (unsigned i = 0; i < 64; i += bits_)
      if (((window >> i) & highest()) != value) ones |= Window{1} << i;
    return ones;
  }

  unsigned bits_;
  Window ones_;       // one of each count
  Window even_;       // every other count
  Window even_ones_;  // one of each of these
  Window carries_;    // out of each of these
};

}  // namespace espalier
