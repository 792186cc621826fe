// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Time that an algorithm may spend, counted in work and not by a clock: results then depend on the input and the budget
// alone, never on the machine or its load.
#pragma once

#include <cstdint>

namespace espalier {

class WorkBudget {
 public:
  explicit WorkBudget(std::uint32_t milliseconds) : milliseconds_(milliseconds) {}

  // What is left.
  [[nodiscard]] std::uint32_t milliseconds() const { return milliseconds_; }

  // Takes what `steps` cost if that is at most one `share`-th of what is left; else takes nothing and returns false.
  [[nodiscard]] bool spend(std::uint64_t steps, std::uint64_t steps_per_millisecond, std::uint32_t share = 1) {
    const std::uint64_t needed = steps / steps_per_millisecond;
    if (needed > milliseconds_ / share) return false;
    milliseconds_ -= static_cast<std::uint32_t>(needed);
    return true;
  }

 private:
  std::uint32_t milliseconds_;
};

}  // namespace espalier
