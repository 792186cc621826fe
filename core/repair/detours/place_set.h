// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Who of many in a line is still worth a look: a set of places, a bit each, so that those who are not cost nothing.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace espalier {

class PlaceSet {
 public:
  // All places below `size`.
  void fill(std::size_t size) {
    words_.assign((size + 63) / 64, ~std::uint64_t{0});
    if (size % 64 != 0) words_.back() >>= 64 - size % 64;
  }
  void add(std::size_t place) { words_[place / 64] |= std::uint64_t{1} << place % 64; }

  // Takes places out, ascending, up to the first for which `is_enough(place)`, which may add others; whether there was one.
  template <class Function>
  bool take_until(Function is_enough) {
    for (std::size_t w = 0; w < words_.size(); ++w)
      while (words_[w] != 0) {
        const std::size_t place = w * 64 + static_cast<std::size_t>(std::countr_zero(words_[w]));
        words_[w] &= words_[w] - 1;
        if (is_enough(place)) return true;
      }
    return false;
  }

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace espalier
