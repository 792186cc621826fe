// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Flat arrays in huge pages where the kernel has some (transparent huge pages, madvise(2)). A page of 4 KiB takes longer to be
// handed out than to be filled when it is first written, 0.5 to 15 us, the most in virtual machines; and an access to each of
// a thousand rows, as forwarding tables are read column by column, misses the processor's memory of page addresses (TLB)
// each time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <stop_token>
#include <type_traits>
#include <utility>
#include <vector>

namespace espalier {

// From this size on, in bytes, arrays are in huge pages, which they share where there is room.
inline constexpr std::size_t kLargeArray = std::size_t{32} << 10;

// Memory that begins at a cache line. Never null. Throws std::bad_alloc. Any thread may ask.
[[nodiscard]] void* allocate_large(std::size_t bytes);
// REQUIRES: allocate_large(bytes) returned it, or null.
void free_large(void* memory, std::size_t bytes) noexcept;
// Has the kernel hand out this much now: arrays that take no more in all will find it, unless they come in the meantime.
// To be asked for by a thread for which nobody waits; with a stop it ends at once, and what it has by then can be used.
// Throws std::bad_alloc.
void prefault_large(std::size_t bytes, const std::stop_token& stop = {});

// Of a fixed size. Elements have no value until they are written.
template <class T>
requires std::is_trivially_copyable_v<T>
class LargeArray {
 public:
  LargeArray() = default;
  explicit LargeArray(std::size_t size) : data_(static_cast<T*>(allocate_large(size * sizeof(T)))), size_(size) {}
  LargeArray(const LargeArray& other) : LargeArray(other.size_) {
    if (size_ != 0) std::memcpy(data_, other.data_, size_ * sizeof(T));
  }
  LargeArray(LargeArray&& other) noexcept { swap(other); }
  LargeArray& operator=(LargeArray other) noexcept {
    swap(other);
    return *this;
  }
  ~LargeArray() { free_large(data_, size_ * sizeof(T)); }

  void swap(LargeArray& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }
  // Every byte of every element.
  void fill_bytes(std::uint8_t value) {
    if (size_ != 0) std::memset(data_, value, size_ * sizeof(T));
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] T* data() { return data_; }
  [[nodiscard]] const T* data() const { return data_; }
  [[nodiscard]] T& operator[](std::size_t i) { return data_[i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const { return data_[i]; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

// For containers of the standard library, of any size.
template <class T>
struct LargeAllocator {
  using value_type = T;
  LargeAllocator() = default;
  template <class U>
  LargeAllocator(const LargeAllocator<U>&) {}  // NOLINT(google-explicit-constructor): as the standard has it
  [[nodiscard]] T* allocate(std::size_t count) {
    if (count < kLargeArray / sizeof(T)) return std::allocator<T>().allocate(count);
    if (count > SIZE_MAX / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(allocate_large(count * sizeof(T)));
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    if (count < kLargeArray / sizeof(T))
      std::allocator<T>().deallocate(memory, count);
    else
      free_large(memory, count * sizeof(T));
  }
  template <class U>
  bool operator==(const LargeAllocator<U>&) const {
    return true;
  }
};

template <class T>
using LargeVector = std::vector<T, LargeAllocator<T>>;

}  // namespace espalier
