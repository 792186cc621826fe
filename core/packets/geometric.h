// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Cycles between packets of a Bernoulli process, by inversion with a guide table (Chen and Asau: On Generating Random
// Variates from an Empirical Distribution, AIIE Transactions 6, 1974): where all of a cell of the unit interval means
// the same, no logarithm is taken.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "core/packets/random.h"

namespace espalier::packets {

class Geometric {
 public:
  // probability: 0 .. 1; never successful with 0.
  explicit Geometric(double probability) : log_failure_(std::log1p(-probability)) {
    for (std::uint64_t cell = 0; cell < kCells; ++cell) {
      const std::uint32_t most = trials(cell << kShift);
      const std::uint32_t least = trials(((cell + 1) << kShift) - 1);
      if (most == least && most < 65536) known_[cell] = static_cast<std::uint16_t>(most);
    }
  }

  [[nodiscard]] bool never() const { return log_failure_ == 0; }
  // Trials until the first success, at least 1.
  [[nodiscard]] std::uint32_t draw(Random& random) const {
    const std::uint64_t bits = random.next();
    const std::uint32_t known = known_[bits >> kShift];
    return known != 0 ? known : trials(bits);
  }

 private:
  static constexpr std::size_t kCells = 1024;
  static constexpr unsigned kShift = 54;

  [[nodiscard]] std::uint32_t trials(std::uint64_t bits) const {
    const double skipped = std::log(Random::unit(bits)) / log_failure_;
    return skipped < 1e9 ? 1 + static_cast<std::uint32_t>(skipped) : 1'000'000'000U;
  }

  double log_failure_;
  std::array<std::uint16_t, kCells> known_ = {};  // 0: it takes the logarithm
};

}  // namespace espalier::packets
