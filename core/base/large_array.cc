// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/base/large_array.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <new>

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

}  // namespace

void* allocate_large(std::size_t bytes) {
  if (bytes >= kFewest) return map_pages(bytes);
  void* const memory = std::aligned_alloc(kCacheLine, rounded_up(bytes == 0 ? 1 : bytes, kCacheLine));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void free_large(void* memory, std::size_t bytes) noexcept {
  if (memory == nullptr) return;
  if (bytes >= kFewest) {
    unmap_pages(memory, bytes);
    return;
  }
  std::free(memory);  // NOLINT(cppcoreguidelines-no-malloc)
}

}  // namespace espalier
