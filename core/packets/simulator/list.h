// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What is to be done in a cycle: lists whose length has a bound that is known before, so that adding to one asks for no
// room, or that grow out of line.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace espalier::packets {

template <class T>
class List {
 public:
  List() = default;
  List(const List&) = delete;
  List& operator=(const List&) = delete;
  List(List&& other) noexcept { swap(other); }
  List& operator=(List&& other) noexcept {
    swap(other);
    return *this;
  }
  ~List() = default;

  // Room for so many, and one place more. REQUIRES: it is empty.
  void bound(std::size_t most) {
    items_.resize(most + 1);
    end_ = items_.data();
    limit_ = end_ + items_.size();
  }

  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(end_ - items_.data()); }
  [[nodiscard]] const T& operator[](std::size_t i) const { return items_[i]; }
  [[nodiscard]] const T* begin() const { return items_.data(); }
  [[nodiscard]] const T* end() const { return end_; }
  void clear() { end_ = items_.data(); }

  // REQUIRES: size() is below the bound.
  void add(const T& item) { *end_++ = item; }
  // Of a list without a bound.
  void push(const T& item) {
    if (end_ == limit_) grow();
    *end_++ = item;
  }
  // With nothing to predict.
  void add_if(bool condition, const T& item) {
    *end_ = item;
    end_ += static_cast<std::size_t>(condition);
  }

 private:
  void swap(List& other) noexcept {
    std::swap(items_, other.items_);
    std::swap(end_, other.end_);
    std::swap(limit_, other.limit_);
  }
  [[gnu::noinline]] void grow() {
    const std::size_t before = size();
    items_.resize(2 * before + 16);
    end_ = items_.data() + before;
    limit_ = items_.data() + items_.size();
  }

  std::vector<T> items_;
  T* end_ = nullptr;
  T* limit_ = nullptr;
};

}  // namespace espalier::packets
