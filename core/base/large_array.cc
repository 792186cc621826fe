// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/base/large_array.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>
#include <utility>

namespace espalier {
namespace {

constexpr std::size_t kCacheLine = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kFewest = 3 * kHugePage;  // smaller ones take what others have freed: less memory in all

std::size_t rounded_up(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

// Whole pages of the kernel's own, which go back to it when they are free.
void* map_pages(std::size_t bytes) {
  const std::size_t all = rounded_up(bytes, kHugePage) + kHugePage;
  void* const mapped = ::mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  // Of the mapping only what is needed stays, from a multiple of a huge page on.
  const auto begin = reinterpret_cast<std::uintptr_t>(mapped);
  const std::uintptr_t first = rounded_up(begin, kHugePage);
  const std::uintptr_t end = first + rounded_up(bytes, kHugePage);
  if (first != begin) ::munmap(mapped, first - begin);
  if (end != begin + all) ::munmap(reinterpret_cast<void*>(end), begin + all - end);
  void* const memory = reinterpret_cast<void*>(first);
#ifdef MADV_HUGEPAGE
  // A wish. The rest behind the last full one stays in small pages: it takes no more memory than it needs.
  static_cast<void>(::madvise(memory, bytes / kHugePage * kHugePage, MADV_HUGEPAGE));
#endif
  return memory;
}

void unmap_pages(void* memory, std::size_t bytes) { ::munmap(memory, rounded_up(bytes, kHugePage)); }

// The mapping that was freed last: tables come and go in one size, and the kernel clears each fresh page. It goes back
// before another size is mapped, but stays beside small arrays: 24 MiB more at the peak of dmodc on 11 664 hosts.
struct Spare {
  void* memory = nullptr;
  std::size_t bytes = 0;
};
std::mutex spare_mutex;
Spare spare;

Spare exchange_spare(Spare other) {
  const std::lock_guard lock(spare_mutex);
  return std::exchange(spare, other);
}

}  // namespace

void* allocate_large(std::size_t bytes) {
  if (bytes >= kFewest) {
    const Spare taken = exchange_spare({});
    if (taken.memory != nullptr && taken.bytes == bytes) return taken.memory;
    if (taken.memory != nullptr) unmap_pages(taken.memory, taken.bytes);
    return map_pages(bytes);
  }
  void* const memory = std::aligned_alloc(kCacheLine, rounded_up(bytes == 0 ? 1 : bytes, kCacheLine));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void free_large(void* memory, std::size_t bytes) noexcept {
  if (memory == nullptr) return;
  if (bytes >= kFewest) {
    const Spare replaced = exchange_spare({memory, bytes});
    if (replaced.memory != nullptr) unmap_pages(replaced.memory, replaced.bytes);
    return;
  }
  std::free(memory);  // NOLINT(cppcoreguidelines-no-malloc)
}

}  // namespace espalier
