// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A list whose length has a bound that is known before: adding to it asks for no room.
#pragma once

#include <cstddef>
#include <vector>

namespace espalier::packets {

template <class T>
class List {
 public:
  // Room for so many, and one place more.
  void bound(std::size_t most) { items_.resize(most + 1); }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const T& operator[](std::size_t i) const { return items_[i]; }
  [[nodiscard]] const T* begin() const { return items_.data(); }
  [[nodiscard]] const T* end() const { return items_.data() + size_; }
  [[nodiscard]] T& operator[](std::size_t i) { return items_[i]; }
  void clear() { size_ = 0; }

  // Room for as many more; what they are is said later.
  void extend(std::size_t more) { size_ += more; }
  // REQUIRES: size() is below the bound.
  void add(const T& item) { items_[size_++] = item; }
  // Of a list without a bound.
  void push(const T& item) {
    if (size_ == items_.size()) grow();
    items_[size_++] = item;
  }
  // With nothing to predict.
  void add_if(bool condition, const T& item) {
    items_[size_] = item;
    size_ += static_cast<std::size_t>(condition);
  }

 private:
  [[gnu::noinline]] void grow() { items_.resize(2 * size_ + 16); }

  std::vector<T> items_;
  std::size_t size_ = 0;
};

}  // namespace espalier::packets
