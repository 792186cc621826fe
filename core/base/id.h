// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Dense typed ids: an `enum class` over an unsigned integer, counted from 0, that indexes flat arrays. A LID can then
// not be passed where a port is wanted, and costs what a plain integer costs.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/large_array.h"

namespace espalier {

template <class Id>
concept DenseId = std::is_enum_v<Id> && std::is_unsigned_v<std::underlying_type_t<Id>>;

// The position of `id` in an array.
template <DenseId Id>
[[nodiscard]] constexpr std::size_t index(Id id) {
  return static_cast<std::size_t>(id);
}

// The id of array position `i`. REQUIRES: `i` fits the id's integer.
template <DenseId Id>
[[nodiscard]] constexpr Id id_at(std::size_t i) {
  return static_cast<Id>(static_cast<std::underlying_type_t<Id>>(i));
}

// `size` ids from `first` on, 0 unless given; for range-for.
template <DenseId Id>
class IdRange {
 public:
  class iterator {
   public:
    explicit constexpr iterator(std::size_t i) : i_(i) {}
    constexpr Id operator*() const { return id_at<Id>(i_); }
    constexpr iterator& operator++() {
      ++i_;
      return *this;
    }
    constexpr bool operator!=(const iterator& other) const { return i_ != other.i_; }
    constexpr bool operator==(const iterator& other) const { return i_ == other.i_; }

   private:
    std::size_t i_;
  };

  explicit constexpr IdRange(std::size_t size) : end_(size) {}
  constexpr IdRange(Id first, std::size_t size) : first_(index(first)), end_(index(first) + size) {}
  [[nodiscard]] constexpr iterator begin() const { return iterator(first_); }
  [[nodiscard]] constexpr iterator end() const { return iterator(end_); }
  [[nodiscard]] constexpr std::size_t size() const { return end_ - first_; }

 private:
  std::size_t first_ = 0;
  std::size_t end_;
};

// A vector that is indexed by one kind of id.
template <DenseId Id, class T>
class IdVector {
 public:
  IdVector() = default;
  explicit IdVector(std::size_t size, const T& value = T()) : items_(size, value) {}
  explicit IdVector(LargeVector<T>&& items) : items_(std::move(items)) {}
  explicit IdVector(const std::vector<T>& items) : items_(items.begin(), items.end()) {}

  [[nodiscard]] decltype(auto) operator[](Id id) { return items_[index(id)]; }
  [[nodiscard]] decltype(auto) operator[](Id id) const { return items_[index(id)]; }
  [[nodiscard]] std::size_t size() const { return items_.size(); }
  [[nodiscard]] bool empty() const { return items_.empty(); }
  [[nodiscard]] IdRange<Id> ids() const { return IdRange<Id>(items_.size()); }
  [[nodiscard]] auto begin() { return items_.begin(); }
  [[nodiscard]] auto end() { return items_.end(); }
  [[nodiscard]] auto begin() const { return items_.begin(); }
  [[nodiscard]] auto end() const { return items_.end(); }
  [[nodiscard]] const LargeVector<T>& raw() const { return items_; }
  void reserve(std::size_t size) { items_.reserve(size); }
  Id push_back(T item) {
    items_.push_back(std::move(item));
    return id_at<Id>(items_.size() - 1);
  }
  // The same items by another kind of id, the i-th by the i-th.
  template <DenseId Other>
  [[nodiscard]] IdVector<Other, T> renamed() && {
    return IdVector<Other, T>(std::move(items_));
  }
  bool operator==(const IdVector&) const = default;

 private:
  LargeVector<T> items_;
};

}  // namespace espalier
