// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Draws of the inner loop, the same on every platform: SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom
// Number Generators, OOPSLA 2014).
#pragma once

#include <cstdint>

#include "core/base/hash.h"

namespace espalier::packets {

class Random {
 public:
  // Streams of a seed, and those of the next seed, are as good as independent: both numbers are hashed.
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0) : state_(seed) {
    state_ = next() ^ stream;
    state_ = next();
  }

  [[nodiscard]] std::uint64_t next() { return splitmix64(state_ += kSplitmix64Step); }
  // Uniform in 0 .. bound-1; the bias is below bound / 2^32. REQUIRES: bound > 0.
  [[nodiscard]] std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>(((next() >> 32U) * bound) >> 32U);
  }
  // Uniform in (0, 1].
  [[nodiscard]] double uniform() { return unit(next()); }
  // The number in (0, 1] that these bits are.
  [[nodiscard]] static double unit(std::uint64_t bits) { return static_cast<double>((bits >> 11U) + 1) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

}  // namespace espalier::packets
