// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A list for each of the numbers from 0 to count - 1, all in one array, one behind the other (compressed sparse rows).
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "core/base/large_array.h"

namespace espalier {

template <class T>
class FlatLists {
 public:
  FlatLists() = default;
  // `fill(add)` calls add(number, item) for each item, twice the same: first to count. Lists keep the order of the calls.
  // REQUIRES: numbers are below `count`; fewer than 2^32 items.
  template <class Fill>
  FlatLists(std::size_t count, const Fill& fill) : first_(count + 1) {
    fill([&](std::size_t number, const T&) { ++first_[number + 1]; });
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    items_.resize(first_.back());
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    fill([&](std::size_t number, const T& item) { items_[next[number]++] = item; });
  }

  [[nodiscard]] std::size_t num_lists() const { return first_.size() - 1; }
  [[nodiscard]] std::size_t num_items() const { return items_.size(); }
  [[nodiscard]] std::span<const T> at(std::size_t number) const {
    return {items_.data() + first_[number], first_[number + 1] - first_[number]};
  }

 private:
  std::vector<std::uint32_t> first_ = {0};  // per list, and one for the end
  LargeVector<T> items_;
};

}  // namespace espalier
