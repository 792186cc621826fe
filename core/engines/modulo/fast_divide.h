// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Division by a number that stays the same for a while: a multiplication instead.
#pragma once

#include <cstdint>

namespace espalier {

// For n < 2^20: n / d = floor(n * m / 2^40) with m = floor(2^40 / d) + 1. The product exceeds n * 2^40 / d by at most
// n, which is less than 2^20 and so never carries the quotient to the next integer (d <= 2^20: the remainder leaves
// room for 1/d >= 2^-20; larger d: n / d < 1 - 2^-20). Larger n are divided as usual.
class FastDivider {
 public:
  // REQUIRES: divisor > 0.
  explicit FastDivider(std::uint32_t divisor) : divisor_(divisor), factor_((std::uint64_t{1} << 40) / divisor + 1) {}

  [[nodiscard]] std::uint32_t divisor() const { return divisor_; }
  [[nodiscard]] std::uint32_t quotient(std::uint32_t n) const {
    return n < (1U << 20) ? static_cast<std::uint32_t>((n * factor_) >> 40) : n / divisor_;
  }
  [[nodiscard]] std::uint32_t remainder(std::uint32_t n) const { return n - quotient(n) * divisor_; }

 private:
  std::uint32_t divisor_;
  std::uint64_t factor_;
};

}  // namespace espalier
