// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Time that an algorithm may spend, counted in work and not by a clock: results then depend on the input and the budget
// alone, never on the machine or its load.
//
// Each kind of step has a rate, how many of them a core does in a millisecond. What is left is kept in nanoseconds, so
// that many cheap steps add up.
#pragma once

#include <algorithm>
#include <cstdint>

namespace espalier {

class WorkBudget {
 public:
  explicit WorkBudget(std::uint32_t milliseconds) : nanoseconds_(milliseconds * kPerMillisecond) {}

  // What is left, rounded down.
  [[nodiscard]] std::uint32_t milliseconds() const {
    return static_cast<std::uint32_t>(nanoseconds_ / kPerMillisecond);
  }
  // The same in steps. REQUIRES: steps_per_millisecond < 2^32 / 60.
  [[nodiscard]] std::uint64_t steps(std::uint64_t steps_per_millisecond) const {
    return nanoseconds_ * steps_per_millisecond / kPerMillisecond;
  }

  // Takes what `steps` cost if that is at most one `share`-th of what is left; else takes nothing and returns false.
  [[nodiscard]] bool spend(std::uint64_t steps, std::uint64_t steps_per_millisecond, std::uint32_t share = 1) {
    const std::uint64_t needed = cost(steps, steps_per_millisecond);
    if (needed > nanoseconds_ / share) return false;
    nanoseconds_ -= needed;
    return true;
  }
  // Takes what `steps` cost, or all that is left, for steps that have to be done.
  void charge(std::uint64_t steps, std::uint64_t steps_per_millisecond) {
    nanoseconds_ -= std::min(nanoseconds_, cost(steps, steps_per_millisecond));
  }

 private:
  static constexpr std::uint64_t kPerMillisecond = 1'000'000;
  static std::uint64_t cost(std::uint64_t steps, std::uint64_t steps_per_millisecond) {
    return steps / steps_per_millisecond * kPerMillisecond +
           steps % steps_per_millisecond * kPerMillisecond / steps_per_millisecond;
  }

  std::uint64_t nanoseconds_;
};

}  // namespace espalier
