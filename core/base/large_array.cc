// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/base/large_array.h"

#include <sys/mman.h>

#include <algorithm>
#include <boost/interprocess/mem_algo/rbtree_best_fit.hpp>
#include <boost/interprocess/sync/mutex_family.hpp>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

namespace espalier {
namespace {

constexpr std::size_t kCacheLine = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kLeastMapped = kHugePage / 2;  // smaller ones share huge pages

// AddressSanitizer watches the ends of what it hands out itself.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kMayShare = false;
#else
constexpr bool kMayShare = true;
#endif

std::size_t rounded_up(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

// Whole pages of the kernel's own from the beginning of a huge page on; what fills at least half of one is one.
void* map_pages(std::size_t bytes) {
  const std::size_t size = rounded_up(bytes, kHugePage);
  void* const mapped = ::mmap(nullptr, size + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  // Of the mapping only what is needed stays.
  const auto begin = reinterpret_cast<std::uintptr_t>(mapped);
  const std::uintptr_t first = rounded_up(begin, kHugePage);
  const std::uintptr_t rest = begin + kHugePage - first;
  if (first != begin) ::munmap(mapped, first - begin);
  if (rest != 0) ::munmap(reinterpret_cast<void*>(first + size), rest);
  void* const memory = reinterpret_cast<void*>(first);
#ifdef MADV_HUGEPAGE
  static_cast<void>(::madvise(memory, (bytes + kHugePage / 2) / kHugePage * kHugePage, MADV_HUGEPAGE));  // a wish
#endif
  return memory;
}

void unmap_pages(void* memory, std::size_t bytes) { ::munmap(memory, rounded_up(bytes, kHugePage)); }

// Arrays of less than a huge page, in mappings that they share: best fit, by Boost.Interprocess's tree of free blocks. A
// mapping goes back to the kernel when nothing is left in it and there is another.
class SharedPages {
 public:
  void* allocate(std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    for (const std::unique_ptr<Heap>& heap : heaps_)
      if (void* const memory = heap->allocate(bytes)) return memory;
    void* const memory = heaps_.emplace_back(std::make_unique<Heap>())->allocate(bytes);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
  }
  void free(void* memory) noexcept {
    const std::scoped_lock lock(mutex_);
    const auto heap = std::find_if(heaps_.begin(), heaps_.end(), [&](const auto& h) { return h->has(memory); });
    (*heap)->free(memory);
    if (heaps_.size() > 1 && (*heap)->is_empty()) heaps_.erase(heap);
  }

 private:
  class Heap {
   public:
    Heap() : pages_(map_pages(kSize)), blocks_(new (pages_) Blocks(kSize, 0)) {}
    Heap(const Heap&) = delete;
    Heap& operator=(const Heap&) = delete;
    ~Heap() { unmap_pages(pages_, kSize); }  // all that Blocks has is in there
    void* allocate(std::size_t bytes) { return blocks_->allocate_aligned(bytes, kCacheLine); }
    void free(void* memory) { blocks_->deallocate(memory); }
    [[nodiscard]] bool has(const void* memory) const {
      return memory >= pages_ && memory < static_cast<const char*>(pages_) + kSize;
    }
    [[nodiscard]] bool is_empty() { return blocks_->all_memory_deallocated(); }

   private:
    static constexpr std::size_t kSize = 8 * kHugePage;
    using Blocks = boost::interprocess::rbtree_best_fit<boost::interprocess::null_mutex_family>;
    void* pages_;
    Blocks* blocks_;
  };
  std::mutex mutex_;
  std::vector<std::unique_ptr<Heap>> heaps_;
};

// Never destroyed: arrays of static duration may outlive everything.
SharedPages& shared_pages() {
  static SharedPages& pages = *new SharedPages;
  return pages;
}

}  // namespace

void* allocate_large(std::size_t bytes) {
  if (bytes >= kLeastMapped) return map_pages(bytes);
  if (kMayShare && bytes >= kLargeArray) return shared_pages().allocate(bytes);
  void* const memory = std::aligned_alloc(kCacheLine, rounded_up(bytes == 0 ? 1 : bytes, kCacheLine));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void free_large(void* memory, std::size_t bytes) noexcept {
  if (memory == nullptr) return;
  if (bytes >= kLeastMapped)
    unmap_pages(memory, bytes);
  else if (kMayShare && bytes >= kLargeArray)
    shared_pages().free(memory);
  else
    std::free(memory);  // NOLINT(cppcoreguidelines-no-malloc)
}

}  // namespace espalier
