// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Sets of a router's ports and queues, a bit each, in words that lie next to each other.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace espalier::packets {

using BitWord = std::uint64_t;

[[nodiscard]] constexpr BitWord bit_of(std::uint32_t position) { return BitWord{1} << (position % 64); }

// The lowest of the bits that are set. REQUIRES: word != 0.
[[nodiscard]] constexpr std::uint32_t lowest_bit(BitWord word) {
  return static_cast<std::uint32_t>(std::countr_zero(word));
}

// A view of some words. REQUIRES: positions are below 64 * num_words.
class BitSet {
 public:
  BitSet(BitWord* words, std::size_t num_words) : words_(words), num_words_(num_words) {}

  void add(std::uint32_t position) { words_[position / 64] |= bit_of(position); }
  void remove(std::uint32_t position) { words_[position / 64] &= ~bit_of(position); }
  [[nodiscard]] bool has(std::uint32_t position) const { return (words_[position / 64] & bit_of(position)) != 0; }
  [[nodiscard]] bool empty() const {
    for (std::size_t w = 0; w < num_words_; ++w)
      if (words_[w] != 0) return false;
    return true;
  }
  [[nodiscard]] std::uint32_t size() const {
    int count = 0;
    for (std::size_t w = 0; w < num_words_; ++w) count += std::popcount(words_[w]);
    return static_cast<std::uint32_t>(count);
  }
  [[nodiscard]] BitWord word(std::size_t w) const { return words_[w]; }

 private:
  BitWord* words_;
  std::size_t num_words_;
};

}  // namespace espalier::packets
