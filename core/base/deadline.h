// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A limit by the clock, for work that somebody waits for and that can be given up. What comes of work that was given up
// depends on the machine, so it has to be dropped as a whole, never used as far as it came.
#pragma once

#include <atomic>
#include <chrono>

namespace espalier {

class Deadline {
 public:
  // Never passes.
  Deadline() = default;
  explicit Deadline(std::chrono::milliseconds from_now) : at_(std::chrono::steady_clock::now() + from_now) {}

  // Whether it has passed; once it has, for good. From any thread.
  [[nodiscard]] bool passed() const {
    if (at_ == std::chrono::steady_clock::time_point::max()) return false;
    if (!missed_.load(std::memory_order_relaxed) && std::chrono::steady_clock::now() >= at_) missed_ = true;
    return missed_.load(std::memory_order_relaxed);
  }
  // Whether somebody asked too late, and so gave up.
  [[nodiscard]] bool was_missed() const { return missed_.load(std::memory_order_relaxed); }

 private:
  std::chrono::steady_clock::time_point at_ = std::chrono::steady_clock::time_point::max();
  mutable std::atomic<bool> missed_ = false;
};

}  // namespace espalier
