// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Draws that are the same on every platform: the standard fixes the output of std::mt19937_64, but neither that of its
// distributions nor that of std::shuffle.
#pragma once

#include <cstdint>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

namespace espalier {

class RandomOrder {
 public:
  // `kind` names what is drawn; each kind has an order of its own under one seed.
  RandomOrder(std::uint64_t seed, std::string_view kind);

  // The first `count` of a random order of `candidates`; fewer are the front of more.
  // REQUIRES: count <= candidates.size().
  template <class T>
  [[nodiscard]] std::vector<T> front(std::vector<T> candidates, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      std::swap(candidates[i], candidates[i + below(static_cast<std::uint64_t>(candidates.size() - i))]);
    candidates.erase(candidates.begin() + static_cast<std::ptrdiff_t>(count), candidates.end());
    return candidates;
  }

  // Uniform in 0 .. bound-1. REQUIRES: bound > 0.
  [[nodiscard]] std::uint64_t below(std::uint64_t bound);

 private:
  std::mt19937_64 random_;
};

}  // namespace espalier
