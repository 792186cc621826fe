// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// How far long work has come. Workers count, on any thread; somebody else looks and shows.
#pragma once

#include <atomic>
#include <cstdint>

namespace espalier {

struct Progress {
  std::atomic<std::uint64_t> done = 0;
  std::atomic<std::uint64_t> total = 0;  // 0: not known
};

// For work that is told where to count, or nullptr.
inline void begin(Progress* progress, std::uint64_t total) {
  if (progress == nullptr) return;
  progress->done.store(0, std::memory_order_relaxed);
  progress->total.store(total, std::memory_order_relaxed);
}
inline void advance(Progress* progress, std::uint64_t steps = 1) {
  if (progress != nullptr) progress->done.fetch_add(steps, std::memory_order_relaxed);
}

}  // namespace espalier
