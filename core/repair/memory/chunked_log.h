// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A list that grows at its end, in chunks that stay where they are. A vector that doubles copies what it has, and its last
// array is so large that the kernel takes it back, and has to hand it out anew for the next repair.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/base/large_array.h"

namespace espalier {

template <class T>
class ChunkedLog {
 public:
  void push_back(const T& item) {
    if (used_ == kChunk) [[unlikely]]
      grow();
    chunks_.back()[used_++] = item;
  }
  void clear() {
    chunks_.clear();
    used_ = kChunk;
  }

  // visit(item), in the order in which they came.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const LargeArray<T>& chunk : chunks_)
      std::for_each_n(chunk.data(), &chunk == &chunks_.back() ? used_ : kChunk, visit);
  }

 private:
  [[gnu::noinline]] void grow() {
    chunks_.emplace_back(kChunk);
    used_ = 0;
  }

  static constexpr std::size_t kChunk = (std::size_t{512} << 10) / sizeof(T);

  std::vector<LargeArray<T>> chunks_;
  std::size_t used_ = kChunk;  // of the last
};

}  // namespace espalier
