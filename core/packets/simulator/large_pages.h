// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Arrays on large pages. A network of many megabytes is touched at random, and with pages of 4 kB each touch would wait
// for the page tables as well.
#pragma once

#include <sys/mman.h>

#include <cstdlib>
#include <new>
#include <vector>

namespace espalier::packets {

template <class T>
struct LargePages {
  using value_type = T;
  static constexpr std::size_t kPage = std::size_t{2} << 20U;

  LargePages() = default;
  template <class U>
  LargePages(const LargePages<U>& /*other*/) {}

  [[nodiscard]] T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    const bool large = bytes >= kPage / 2;
    const std::size_t align = large ? kPage : std::size_t{64};
    void* memory = std::aligned_alloc(align, (bytes + align - 1) / align * align);
    if (memory == nullptr) throw std::bad_alloc();
    if (large) ::madvise(memory, bytes, MADV_HUGEPAGE);  // a wish; without it all works as well
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t /*count*/) { std::free(memory); }

  friend bool operator==(const LargePages& /*a*/, const LargePages& /*b*/) { return true; }
};

template <class T>
using LargeVector = std::vector<T, LargePages<T>>;

}  // namespace espalier::packets
