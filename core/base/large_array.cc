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
#include <stop_token>
#include <vector>

namespace espalier {
namespace {

constexpr std::size_t kCacheLine = 64;
constexpr std::size_t kPage = 4096;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kLeastMapped = kHugePage / 2;  // from here on a mapping of its own, where no other has room

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

// What lies between the first and the last huge page of a block goes back to the kernel, and what is in it with it.
void give_back(void* memory, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t first = rounded_up(begin + kPage, kHugePage);  // the heap writes at the block's beginning
  const std::uintptr_t end = (begin + bytes) / kHugePage * kHugePage;
  if (first < end) static_cast<void>(::madvise(reinterpret_cast<void*>(first), end - first, MADV_DONTNEED));
}

// Arrays in mappings that they share: best fit, by Boost.Interprocess's tree of free blocks. Of the mappings in which
// nothing is left one stays, for those that come next.
class SharedPages {
 public:
  // Null: there is no room for so many, and no mapping is made for them, as they are better off with their own.
  void* allocate(std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    void* memory = find(bytes);
    if (memory != nullptr || bytes >= kLeastMapped) return memory;
    memory = add(kUsual)->allocate(bytes);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
  }
  // Whether it was allocated here.
  bool free(void* memory, std::size_t bytes) noexcept {
    Heap* const heap = holder(memory);
    if (heap == nullptr) return false;
    give_back(memory, bytes);
    free_in(*heap, memory);
    return true;
  }
  // Takes a block, writes to each page of it until it has to stop, and lets go of it.
  void prefault(std::size_t bytes, const std::stop_token& stop) {
    void* memory = nullptr;
    {
      const std::scoped_lock lock(mutex_);
      memory = find(bytes);
      if (memory == nullptr) memory = add(bytes + kPage)->allocate(bytes);  // with what the heap needs itself
    }
    if (memory == nullptr) return;
    for (std::size_t at = 0; at < bytes && !stop.stop_requested(); at += kPage)
      static_cast<volatile char*>(memory)[at] = 0;
    free_in(*holder(memory), memory);
  }

 private:
  static constexpr std::size_t kUsual = 8 * kHugePage;
  class Heap {
   public:
    explicit Heap(std::size_t size) : size_(size), pages_(map_pages(size)), blocks_(new (pages_) Blocks(size, 0)) {}
    Heap(const Heap&) = delete;
    Heap& operator=(const Heap&) = delete;
    ~Heap() { unmap_pages(pages_, size_); }  // all that Blocks has is in there
    void* allocate(std::size_t bytes) { return blocks_->allocate_aligned(bytes, kCacheLine); }
    void free(void* memory) { blocks_->deallocate(memory); }
    [[nodiscard]] bool has(const void* memory) const {
      return memory >= pages_ && memory < static_cast<const char*>(pages_) + size_;
    }
    [[nodiscard]] bool is_empty() { return blocks_->all_memory_deallocated(); }

   private:
    using Blocks = boost::interprocess::rbtree_best_fit<boost::interprocess::null_mutex_family>;
    std::size_t size_;
    void* pages_;
    Blocks* blocks_;
  };

  // In the first heap that has room; null: none has. REQUIRES: the lock is held; for add() as well.
  void* find(std::size_t bytes) {
    for (const std::unique_ptr<Heap>& heap : heaps_)
      if (void* const memory = heap->allocate(bytes)) return memory;
    return nullptr;
  }
  Heap* add(std::size_t bytes) {
    return heaps_.emplace_back(std::make_unique<Heap>(rounded_up(bytes, kHugePage))).get();
  }
  // Null: it is in none. One that holds something stays.
  Heap* holder(const void* memory) {
    const std::scoped_lock lock(mutex_);
    const auto heap = std::find_if(heaps_.begin(), heaps_.end(), [&](const auto& h) { return h->has(memory); });
    return heap == heaps_.end() ? nullptr : heap->get();
  }
  void free_in(Heap& heap, void* memory) {
    const std::scoped_lock lock(mutex_);
    heap.free(memory);
    if (heap.is_empty()) std::erase_if(heaps_, [&](const auto& h) { return h.get() != &heap && h->is_empty(); });
  }

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
  if (kMayShare && bytes >= kLargeArray)
    if (void* const memory = shared_pages().allocate(bytes)) return memory;
  if (bytes >= kLeastMapped) return map_pages(bytes);
  void* const memory = std::aligned_alloc(kCacheLine, rounded_up(bytes == 0 ? 1 : bytes, kCacheLine));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void free_large(void* memory, std::size_t bytes) noexcept {
  if (memory == nullptr) return;
  if (kMayShare && bytes >= kLargeArray && shared_pages().free(memory, bytes)) return;
  if (bytes >= kLeastMapped)
    unmap_pages(memory, bytes);
  else
    std::free(memory);  // NOLINT(cppcoreguidelines-no-malloc)
}

void prefault_large(std::size_t bytes, const std::stop_token& stop) {
  if (kMayShare && bytes != 0) shared_pages().prefault(bytes, stop);
}

}  // namespace espalier
