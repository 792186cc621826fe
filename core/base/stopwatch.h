// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#pragma once

#include <chrono>
#include <utility>

namespace espalier {

// Milliseconds since it was made or last asked.
class Stopwatch {
 public:
  [[nodiscard]] double lap() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double, std::milli>(now - std::exchange(start_, now)).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace espalier
