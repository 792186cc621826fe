// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// How full every channel is under every shift: by whole leaves, or on fabrics of some hundred hosts of all hosts.
//
// By whole leaves the class of a flow from a host on leaf x to a host on leaf y is (y - x) modulo the number of leaves, leaves
// in topological order. Flows of one class all run at the same time when everybody sends k leaves further, so the load of
// a channel in a class is what its buffer sees in that phase of an all-to-all. Each pair (leaf x, LID of a host on y)
// counts one: the hosts of x send to it one after the other.
//
// Where a fabric has a handful of leaves, that says little: under most shifts the hosts of one send to those of two others. There
// a class is a shift by one host, as jobs number them, and a pair counts in those of all hosts of x. (By whole leaves a
// repair of plafrim2 without one of its two spines had 8 flows under the worst shift, where a fresh search has 5.)
//
// One byte per channel and class, copied on write: a repair touches few channels. Flows of hosts that are gone are taken out
// of a channel when it is first looked at: among 11 664 hosts those of one leaf have 23 000, on most channels. A cell that once
// held 255 stays full: nothing is worth more care there. With very many leaves neighboring classes share a cell, see
// kMostCells.
//
// A price is the marginal cost of one flow more, with load to the sixth power, in all classes of the flow. By whole leaves: four
// times that of its class, and once the price of each neighboring class: a shift that is no multiple of a leaf's hosts splits
// its flows between two classes. By hosts the mean over all classes has a price as well, as random permutations go by that.
// On a link with an r-th of the rate of a host's a flow costs r to the sixth power times as much.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/large_array.h"
#include "core/fabric/fabric.h"
#include "core/repair/memory/arena.h"

namespace espalier {

class ClassLoads {
 public:
  static constexpr std::size_t kMostCells = std::size_t{256} << 20;
  // Shifts are counted by hosts up to so many cells.
  static constexpr std::size_t kMostCellsByHost = std::size_t{4} << 20;

  // The classes of the flows from a leaf to a host.
  struct Flow {
    std::uint32_t cls;   // by hosts: the place of the host
    std::uint32_t leaf;  // from it
  };
  // Of a leaf: begin .. end-1 of the places of all hosts.
  struct LeafHosts {
    struct Run {
      std::uint32_t begin, end;
    };
    std::vector<Run> runs;
    std::uint32_t count = 0;
  };

  struct Without;

  ClassLoads() = default;
  // Empty. Rows for the channels between switches. `hosts`: the switch of each host, by place.
  ClassLoads(const Fabric& fabric, const std::vector<SwitchId>& leaves, const std::vector<SwitchId>& hosts);

  // `place`: of the host.
  [[nodiscard]] Flow flow(std::uint32_t from_leaf, std::uint32_t to_leaf, std::uint32_t place) const {
    if (is_by_hosts()) return {place, from_leaf};
    const std::size_t shift = to_leaf >= from_leaf ? to_leaf - from_leaf : to_leaf + num_leaves_ - from_leaf;
    return {static_cast<std::uint32_t>(num_classes_ == num_leaves_ ? shift : shift * num_classes_ / num_leaves_),
            from_leaf};
  }
  // By how many leaves the flow is shifted, of num_shifts(): flows of one class, or of neighboring ones, differ by one at most.
  [[nodiscard]] std::uint32_t shift(Flow flow) const {
    if (!is_by_hosts()) return flow.cls;
    const std::size_t hosts = flow.cls + num_classes_ - (*hosts_)[flow.leaf].runs.front().begin;
    return static_cast<std::uint32_t>(hosts % num_classes_ * num_leaves_ / num_classes_);
  }
  [[nodiscard]] std::uint32_t num_shifts() const {
    return static_cast<std::uint32_t>(is_by_hosts() ? num_leaves_ : num_classes_);
  }
  // REQUIRES, here and below: c leads from a switch to a switch.
  void add(ChannelId c, Flow flow) {
    for_each_class(own_row(c), flow, [](std::uint8_t& cell) {
      if (cell != kFull) ++cell;
    });
    if (is_by_hosts()) sums_[index(c)] += num_hosts(flow.leaf);
  }
  void remove(ChannelId c, Flow flow) {
    static_cast<void>(own_row(c));
    take_out(c, flow);
  }
  // When all flows are there: what the highest mean of a channel over all classes, by hosts, costs a flow beside its classes.
  void set_price_of_means();
  // The most in the flow's classes.
  [[nodiscard]] std::uint8_t most(ChannelId c, Flow flow) const {
    std::uint8_t most = 0;
    for_each_class(row(c), flow, [&](std::uint8_t cell) { most = std::max(most, cell); });
    return most;
  }
  // Whether one flow more stays within the limit, and in the classes beside its own are no more either. By hosts: it never
  // does, as the least price is worth the look.
  [[nodiscard]] bool has_room(ChannelId c, Flow flow, unsigned limit) const {
    if (is_by_hosts()) return false;
    const auto [before, behind] = beside(flow.cls);
    const std::uint8_t* const row = this->row(c);
    return row[flow.cls] < limit && std::max(row[before], row[behind]) <= limit;
  }
  [[nodiscard]] std::uint64_t price(ChannelId c, Flow flow) const {
    const std::uint8_t* const row = this->row(c);
    std::uint64_t sum = 0;
    if (is_by_hosts()) {
      for_each_class(row, flow, [&](std::uint8_t cell) { sum += kMarginal[cell]; });
      sum += num_hosts(flow.leaf) * price_of_mean(c);
    } else {
      const auto [before, behind] = beside(flow.cls);
      sum = 4 * kMarginal[row[flow.cls]] + kMarginal[row[before]] + kMarginal[row[behind]];
    }
    return factors_ == nullptr ? sum : std::min(sum, kHighest) * (*factors_)[index(c)];
  }
  // Has the memory of the flow's classes on its way.
  void prefetch(ChannelId c, Flow flow) const {
    if (!is_by_hosts()) __builtin_prefetch(rows_[index(c)] + flow.cls);
  }
  // The most in any class.
  [[nodiscard]] std::uint8_t most(ChannelId c) const;

  // A copy that shares all rows until it writes them. REQUIRES: this outlives it, and does not change meanwhile.
  [[nodiscard]] ClassLoads view() const;
  // The same of fewer flows.
  [[nodiscard]] static ClassLoads view(std::shared_ptr<const Without> fewer);

 private:
  static constexpr std::uint8_t kFull = 255;
  // Times the highest factor, and summed up over a path, it fits into a number.
  static constexpr std::uint64_t kHighest = std::uint64_t{1} << 36;
  static constexpr std::array<std::uint64_t, 256> kMarginal = [] {
    std::array<std::uint64_t, 256> marginal{};
    const auto sixth = [](std::uint64_t z) { return z * z * z * z * z * z; };
    for (std::uint64_t z = 0; z < 256; ++z) marginal[z] = sixth(z + 1) - sixth(z);
    return marginal;
  }();

  [[nodiscard]] bool is_by_hosts() const { return hosts_ != nullptr; }
  [[nodiscard]] std::pair<std::size_t, std::size_t> beside(std::size_t cls) const {
    return {cls == 0 ? num_classes_ - 1 : cls - 1, cls + 1 == num_classes_ ? 0 : cls + 1};
  }
  [[nodiscard]] std::uint32_t num_hosts(std::uint32_t leaf) const { return (*hosts_)[leaf].count; }
  [[nodiscard]] std::uint64_t price_of_mean(ChannelId c) const {
    const double sum = sums_[index(c)];
    return static_cast<std::uint64_t>(price_of_means_ * sum * sum * sum * sum * sum);
  }
  // visit(cell of the row) for all classes of the flow.
  template <class Cell, class Visit>
  void for_each_class(Cell* row, Flow flow, Visit visit) const {
    if (!is_by_hosts()) return visit(row[flow.cls]);
    for (const LeafHosts::Run& from : (*hosts_)[flow.leaf].runs) {
      // The shifts by which these hosts send to the place: from the last of them on.
      const std::size_t begin = flow.cls >= from.end ? flow.cls - from.end + 1 : flow.cls + num_classes_ - from.end + 1;
      const std::size_t end = begin + (from.end - from.begin);
      for (std::size_t y = begin; y < std::min(end, num_classes_); ++y) visit(row[y]);
      for (std::size_t y = num_classes_; y < end; ++y) visit(row[y - num_classes_]);
    }
  }
  // REQUIRES: the row is ours.
  void take_out(ChannelId c, Flow flow) const {
    for_each_class(rows_[index(c)], flow, [](std::uint8_t& cell) {
      if (cell != kFull && cell != 0) --cell;
    });
    if (is_by_hosts()) sums_[index(c)] -= num_hosts(flow.leaf);
  }
  std::uint8_t* own_row(ChannelId c) {
    if (owned_[index(c)] == 0) take_over(c);
    return rows_[index(c)];
  }
  const std::uint8_t* row(ChannelId c) const {
    if (rows_[index(c)] == nullptr) [[unlikely]]
      take_over(c);
    return rows_[index(c)];
  }
  void take_over(ChannelId c) const;

  std::size_t num_leaves_ = 1;
  std::size_t num_classes_ = 1;
  std::shared_ptr<const std::vector<LeafHosts>> hosts_;        // per leaf; null: by whole leaves
  double price_of_means_ = 0;                                  // times a sum to the fifth power
  std::shared_ptr<const std::vector<std::uint32_t>> factors_;  // of prices, per channel; null: all links are alike
  std::shared_ptr<const Without> fewer_;                       // null: all flows
  LargeArray<std::uint8_t> cells_;                             // of the first
  // A look at a channel may change these.
  mutable std::vector<std::uint32_t> sums_;  // by hosts: of all classes, per channel
  mutable std::vector<std::uint8_t*> rows_;  // per channel; null: leads to no switch, or flows are to be taken out
  mutable std::vector<std::uint8_t> owned_;  // per channel: the row is ours to write
  mutable Arena<std::uint8_t> written_;      // of a view: rows that it has written
};

// Loads, and flows on their channels that do not count.
struct ClassLoads::Without {
  ClassLoads loads;
  std::vector<std::uint32_t> first;  // per channel, and one more: its flows
  std::vector<Flow> flows;
};

}  // namespace espalier
