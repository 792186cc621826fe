// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Room for one row after another that stays where it is, and goes with all others (an arena, bump allocation). Chunks grow
// from one to the next, so that neither a single lost link nor a lost leaf takes much more than it needs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/base/large_array.h"

namespace espalier {

template <class T>
class Arena {
 public:
  Arena() = default;
  Arena(Arena&& other) noexcept { swap(other); }
  Arena& operator=(Arena other) noexcept {
    swap(other);
    return *this;
  }
  ~Arena() = default;
  // Whoever points into an arena would point into the one that was copied.
  Arena(const Arena&) = delete;

  // So many elements without a value.
  [[nodiscard]] T* take(std::size_t count) {
    if (left_ < count) {
      left_ = std::max((kLargeArray / sizeof(T)) << std::min(chunks_.size(), kMostDoublings), count);
      next_ = chunks_.emplace_back(left_).data();
    }
    left_ -= count;
    return std::exchange(next_, next_ + count);
  }

 private:
  static constexpr std::size_t kMostDoublings = 4;

  void swap(Arena& other) noexcept {
    chunks_.swap(other.chunks_);
    std::swap(next_, other.next_);
    std::swap(left_, other.left_);
  }

  std::vector<LargeArray<T>> chunks_;
  T* next_ = nullptr;
  std::size_t left_ = 0;
};

}  // namespace espalier
