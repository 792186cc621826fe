// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Flat arrays of many megabytes that are read all over, as forwarding tables are column by column: in huge pages where the
// kernel has some (transparent huge pages, madvise(2)), since an access to each of a thousand rows else misses the
// processor's memory of page addresses (TLB) each time, and handing out 4 KiB pages takes longer than filling them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

namespace espalier {

// Memory that begins at a cache line, from 6 MiB on at a huge page and in huge pages. Never null. Throws std::bad_alloc.
[[nodiscard]] void* allocate_large(std::size_t bytes);
// REQUIRES: allocate_large(bytes) returned it, or null.
void free_large(void* memory, std::size_t bytes) noexcept;

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

}  // namespace espalier
