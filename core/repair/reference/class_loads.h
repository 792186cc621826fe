// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// How full every channel is under every shift, as far as memory and time allow: by whole leaves, by parts of a leaf, or host by
// host.
//
// A shift by k sends host i to host i + k, as jobs number hosts. The flow from leaf x to a host is there under as many shifts
// as x has hosts: by which they send to it, one after the other. Each pair (leaf, LID of a host) counts one under these.
//
// By whole leaves only shifts by these are counted, of which a flow is in one; a choice looks at those on both sides as well,
// since the flow is also in shifts between.
// By parts a leaf's hosts are so many parts, and shifts by whole parts are counted: a flow is in as many of them as a leaf has
// parts, so that none is missed that is too full (by whole leaves, of 3 456 hosts without 172 links, 3 flows on a channel under
// 2 900 shifts in place of 2). That is for trees whose channels expect few flows. Parts are as many as kMostBytes and
// PackedCounts allow; channels that expect much less than others are counted by whole leaves.
// By whole leaves the channels that expect most count shifts by hosts as well, for who looks for those that are too full when
// all have chosen (full_shifts.h). To look at them at each choice would take longer.
// By hosts, where a fabric has a handful of leaves: there hosts of a leaf need not be beside each other. (By whole leaves a
// repair of plafrim2 without one of its two spines had 8 flows under the worst shift, where a fresh search has 5.)
//
// Rows are copied on write: a repair touches few channels. Flows of hosts that are gone are taken out of a channel when it is
// first looked at: among 11 664 hosts those of one leaf have 23 000, on most channels. A count that was once the highest
// possible stays so: nothing is worth more care there. With very many leaves neighboring shifts share counts, see kMostCells.
//
// A price is the marginal cost of one flow more, with load to the sixth power, under all shifts that are counted for the flow.
// By hosts the mean over all shifts has a price as well, as random permutations go by that.
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
#include "core/repair/memory/chunked_log.h"
#include "core/repair/reference/packed_counts.h"
#include "core/repair/survivors/survivors.h"

namespace espalier {

class ClassLoads {
 public:
  static constexpr std::size_t kMostCells = std::size_t{256} << 20;
  // What parts of leaves may take, if that is more than a byte for each channel and shift by whole leaves.
  static constexpr std::size_t kMostBytes = std::size_t{32} << 20;
  // Shifts are counted by hosts up to so many cells.
  static constexpr std::size_t kMostCellsByHost = std::size_t{4} << 20;

  // From a leaf to a host. By whole leaves: the shift, and the first of those by hosts. By parts: the first of the shifts that
  // are counted for it, in rows of either kind. By hosts: the place of the host, and the leaf.
  using Flow = std::array<std::uint32_t, 2>;
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
  // Empty. Rows for the channels between switches. `hosts`: the switch of each host, by place. `expected`: flows, per channel.
  // `needs_bytes`: by parts counts have a byte each, as half a byte has turned out to be too little.
  ClassLoads(const Fabric& fabric, const std::vector<SwitchId>& leaves, const std::vector<SwitchId>& hosts,
             const std::vector<float>& expected, bool needs_bytes = false);

  // `place`: of the host.
  [[nodiscard]] Flow flow(std::uint32_t from_leaf, std::uint32_t to_leaf, std::uint32_t place) const {
    const std::uint32_t leaves = to_leaf - from_leaf + (to_leaf >= from_leaf ? 0 : num_leaves_);
    if (hosts_of_leaf_ != 0) {
      const std::uint32_t last = from_leaf * hosts_of_leaf_ + hosts_of_leaf_ - 1;  // of the leaf's hosts
      return {leaves, place - last + (place >= last ? 0 : num_hosts_)};
    }
    if (is_by_hosts()) return {place, from_leaf};
    const auto shift = static_cast<std::uint32_t>(leaves * num_shifts_ / num_leaves_);
    if (!is_by_parts()) return {shift, from_leaf};
    return {shift * kinds_[0].parts + (*parts_)[place] + 1, shift + 1};
  }
  // REQUIRES, here and below: c leads from a switch to a switch.
  void add(ChannelId c, Flow flow) {
    std::uint8_t* const row = own_row(c);
    if (!is_by_leaves()) return add_otherwise(row, c, flow);
    if (counts_hosts(c)) change_by_hosts(c, flow, true);
    if (std::uint8_t& cell = row[flow[0]]; cell != kFull) ++cell;
  }
  void remove(ChannelId c, Flow flow) { take_out(own_row(c), c, flow); }
  // When all flows are there: what the highest mean of a channel over all shifts, by hosts, costs a flow beside its shifts.
  void set_price_of_means();
  // On such a channel a flow costs more from now on.
  void slow_down(const std::vector<SlowerChannel>& channels);
  // Whether more than the limit are there under any shift of the flow.
  [[nodiscard]] bool is_above(ChannelId c, Flow flow, unsigned limit) const {
    return is_by_leaves() ? row(c)[flow[0]] > limit : is_above_otherwise(c, flow, limit);
  }
  // Whether one flow more stays within the limit; by whole leaves also, whether no more are there under the shifts beside its own.
  // By hosts: it never does, as the least price is worth the look.
  [[nodiscard]] bool has_room(ChannelId c, Flow flow, unsigned limit) const {
    if (!is_by_leaves()) return is_by_parts() && !counts_.any_at_least(window(c, flow), limit);
    const std::uint8_t* const row = this->row(c);
    if (row[flow[0]] >= limit) return false;
    const auto [before, behind] = beside(flow[0]);
    return std::max(row[before], row[behind]) <= limit;
  }
  // Whether one flow more stays within the limit, by hosts as well.
  [[nodiscard]] bool keeps_limit(ChannelId c, Flow flow, unsigned limit) const {
    return is_by_hosts() ? limit > 0 && !is_above(c, flow, limit - 1) : has_room(c, flow, limit);
  }
  [[nodiscard]] std::uint64_t price(ChannelId c, Flow flow) const {
    std::uint64_t sum = 0;
    if (is_by_leaves()) {
      const auto [before, behind] = beside(flow[0]);
      const std::uint8_t* const row = this->row(c);
      sum = 4 * kMarginal[row[flow[0]]] + kMarginal[row[before]] + kMarginal[row[behind]];
    } else {
      sum = price_otherwise(c, flow);
    }
    return factors_ == nullptr ? sum : std::min(sum, kHighest) * (*factors_)[index(c)];
  }
  // Has the memory of the flow's shifts on its way.
  void prefetch(ChannelId c, Flow flow) const {
    if (is_by_leaves())
      __builtin_prefetch(rows_[index(c)].cells + flow[0]);
    else if (is_by_parts())
      __builtin_prefetch(rows_[index(c)].cells + counts_.byte(first(c, flow)));
  }
  // Whether a channel counts shifts by hosts beside those by whole leaves.
  [[nodiscard]] bool counts_hosts(ChannelId c) const { return hosts_of_leaf_ != 0 && rows_[index(c)].kind != 0; }
  // A view leaves these counts until then: one channel after the other takes half the time.
  void settle();
  // Nobody will ask for them.
  void count_no_hosts() {
    hosts_of_leaf_ = 0;
    later_.clear();
  }
  // REQUIRES, here and below: all is settled, and the channel counts them. Whether more than the limit are there under one
  // shift by hosts, or under any of a flow.
  [[nodiscard]] bool is_above_by_host(ChannelId c, std::uint32_t shift, unsigned limit) const {
    return counts_.any_at_least(counts_.window(by_host(c).counts, shift, counts_.mask(1)), limit + 1);
  }
  [[nodiscard]] bool is_above_by_hosts(ChannelId c, Flow flow, unsigned limit) const {
    bool is_above = false;
    for_each_window(flow[1], [&](std::size_t first, PackedCounts::Window mask) {
      is_above = is_above || counts_.any_at_least(counts_.window(by_host(c).counts, first, mask), limit + 1);
    });
    return is_above;
  }
  // visit(shift by hosts) where such a channel, whose counts this view has changed, has more than the limit.
  template <class Visit>
  void for_each_above_by_host(ChannelId c, unsigned limit, Visit visit) const {
    if (!counts_hosts(c) || by_host(c).owned == 0) return;
    const std::uint32_t together = counts_.in_block();
    for (std::uint32_t first = 0; first < num_hosts_; first += together) {
      if (!counts_.any_above_in_block(by_host(c).counts, first, limit)) continue;
      for (std::uint32_t shift = first; shift < std::min(first + together, num_hosts_); ++shift)
        if (is_above_by_host(c, shift, limit)) visit(shift);
    }
  }
  // Where shifts are counted so, each leaf has as many hosts, which are beside each other; 0: nowhere.
  [[nodiscard]] std::uint32_t hosts_of_leaf() const { return hosts_of_leaf_; }
  // The most under any shift.
  [[nodiscard]] unsigned most(ChannelId c) const;
  // Whether a channel is so full that counts of half a byte, which these are, leave repairs no room.
  [[nodiscard]] bool is_close_to_full() const;

  // A copy that shares all rows until it writes them. REQUIRES: this outlives it, and does not change meanwhile.
  [[nodiscard]] ClassLoads view() const;
  // The same for who asks for prices only, so that no shifts by hosts are counted beside others.
  [[nodiscard]] ClassLoads view_of_prices() const;
  // The same of fewer flows.
  [[nodiscard]] static ClassLoads view(std::shared_ptr<const Without> fewer);

 private:
  enum class By : std::uint8_t { kLeaves, kParts, kHosts };
  static constexpr std::uint8_t kFull = 255;
  // Times the highest factor, and summed up over a path, it fits into a number.
  static constexpr std::uint64_t kHighest = std::uint64_t{1} << 36;
  static constexpr std::array<std::uint64_t, 256> kMarginal = [] {
    std::array<std::uint64_t, 256> marginal{};
    const auto sixth = [](std::uint64_t z) { return z * z * z * z * z * z; };
    for (std::uint64_t z = 0; z < 256; ++z) marginal[z] = sixth(z + 1) - sixth(z);
    return marginal;
  }();
  // Of two counts of four bits each.
  static constexpr std::array<std::uint64_t, 256> kMarginalOfTwo = [] {
    std::array<std::uint64_t, 256> marginal{};
    for (std::size_t both = 0; both < 256; ++both) marginal[both] = kMarginal[both % 16] + kMarginal[both / 16];
    return marginal;
  }();

  struct Row {                  // of a channel
    std::uint8_t* cells;        // null: leads to no switch, or flows are to be taken out
    std::uint8_t kind = 0;      // of kinds_
    std::uint8_t owned = 1;     // ours to write
    std::uint32_t by_host = 0;  // in by_host_, where it counts shifts by hosts as well
  };
  struct ByHost {  // these counts of a channel
    std::uint8_t* counts;
    std::uint8_t owned;
  };
  struct Kind {          // of rows
    unsigned parts = 1;  // of a leaf's hosts
    PackedCounts::Window mask = 0;
    std::uint64_t weight = 1;  // of prices: there are fewer counts to a flow where parts are few
    std::size_t bytes = 0;     // of a row
  };

  [[nodiscard]] bool is_by_leaves() const { return by_ == By::kLeaves; }
  [[nodiscard]] bool is_by_hosts() const { return by_ == By::kHosts; }
  [[nodiscard]] bool is_by_parts() const { return by_ == By::kParts; }
  // By whole leaves.
  [[nodiscard]] std::pair<std::size_t, std::size_t> beside(std::size_t shift) const {
    return {shift == 0 ? num_shifts_ - 1 : shift - 1, shift + 1 == num_shifts_ ? 0 : shift + 1};
  }
  [[nodiscard]] const Kind& kind(ChannelId c) const { return kinds_[rows_[index(c)].kind]; }
  [[nodiscard]] std::uint32_t first(ChannelId c, Flow flow) const { return flow[rows_[index(c)].kind]; }
  [[nodiscard]] PackedCounts::Window window(ChannelId c, Flow flow) const {
    const Row& row = rows_[index(c)];
    if (row.cells == nullptr) [[unlikely]]
      take_over(c);
    return counts_.window(row.cells, flow[row.kind], kinds_[row.kind].mask);
  }
  [[nodiscard]] std::uint64_t price(PackedCounts::Window window, unsigned parts) const {
    std::uint64_t sum = 0;
    if (!counts_.is_narrow()) {
      for (; parts > 0; --parts, window >>= 8) sum += kMarginal[window & 0xFF];
      return sum;
    }
    for (unsigned i = 0; i < parts; i += 2, window >>= 8) sum += kMarginalOfTwo[window & 0xFF];
    return sum - parts % 2;  // that of a count of zero
  }
  [[nodiscard]] std::uint32_t num_hosts(std::uint32_t leaf) const { return (*hosts_)[leaf].count; }
  [[nodiscard]] std::uint64_t price_of_mean(ChannelId c) const {
    const double sum = sums_[index(c)];
    return static_cast<std::uint64_t>(price_of_means_ * sum * sum * sum * sum * sum);
  }
  // By hosts: visit(cell of the row) for all shifts of the flow.
  template <class Cell, class Visit>
  void for_each_class(Cell* row, Flow flow, Visit visit) const {
    for (const LeafHosts::Run& from : (*hosts_)[flow[1]].runs) {
      // The shifts by which these hosts send to the place: from the last of them on.
      const std::size_t begin = flow[0] >= from.end ? flow[0] - from.end + 1 : flow[0] + num_shifts_ - from.end + 1;
      const std::size_t end = begin + (from.end - from.begin);
      for (std::size_t y = begin; y < std::min(end, num_shifts_); ++y) visit(row[y]);
      for (std::size_t y = num_shifts_; y < end; ++y) visit(row[y - num_shifts_]);
    }
  }
  // `row`: that of the channel, which is ours.
  void take_out(std::uint8_t* row, ChannelId c, Flow flow) const {
    if (!is_by_leaves()) return remove_otherwise(row, c, flow);
    if (counts_hosts(c)) change_by_hosts(c, flow, false);
    if (std::uint8_t& cell = row[flow[0]]; cell != kFull && cell != 0) --cell;
  }
  // By parts or by hosts, apart so that the code for whole leaves is short: it runs for each hop of each flow.
  void add_otherwise(std::uint8_t* row, ChannelId c, Flow flow);
  void remove_otherwise(std::uint8_t* row, ChannelId c, Flow flow) const;
  [[nodiscard]] bool is_above_otherwise(ChannelId c, Flow flow, unsigned limit) const;
  [[nodiscard]] std::uint64_t price_otherwise(ChannelId c, Flow flow) const;
  [[nodiscard]] const ByHost& by_host(ChannelId c) const { return by_host_[rows_[index(c)].by_host]; }
  // A flow more, or one less.
  void change_by_hosts(ChannelId c, Flow flow, bool is_more) const {
    const std::uint32_t row = rows_[index(c)].by_host;
    if (!is_settled_) [[likely]]
      later_.push_back((row << first_bits_ | flow[1]) << 1 | (is_more ? 1 : 0));
    else
      change_at_once(row, flow[1], is_more);
  }
  // Of a channel, to be written.
  [[nodiscard]] std::uint8_t* own_by_host(std::uint32_t row) const;
  void change_at_once(std::uint32_t row, std::uint32_t first, bool is_more) const;
  // One flow more in these, or one less, under the shifts from the first on.
  void change_counts(std::uint8_t* counts, std::uint32_t first, bool is_more) const {
    if (counts_.is_narrow() && first + hosts_of_leaf_ <= num_hosts_) {
      const PackedCounts::Wide& ones = ones_[first % 2];
      std::uint8_t* const bytes = counts + first / 2;
      if (is_more ? PackedCounts::add_wide(bytes, ones) : PackedCounts::remove_wide(bytes, ones)) return;
    }
    change_by_windows(counts, first, is_more);
  }
  void change_by_windows(std::uint8_t* counts, std::uint32_t first, bool is_more) const;
  // visit(first, mask) for a flow's shifts by hosts.
  template <class Visit>
  void for_each_window(std::uint32_t first, Visit visit) const {
    if (const std::uint32_t half = hosts_of_leaf_ / 2; half != 0 && first + hosts_of_leaf_ <= num_hosts_) {
      visit(first, halves_[0]);
      return visit(first + half, halves_[1]);
    }
    for (std::uint32_t left = hosts_of_leaf_; left > 0;) {
      const std::uint32_t count = std::min({left, counts_.most_in_window(), num_hosts_ - first});
      visit(first, counts_.mask(count));
      left -= count;
      first = first + count == num_hosts_ ? 0 : first + count;
    }
  }
  std::uint8_t* own_row(ChannelId c) {
    if (rows_[index(c)].owned == 0) take_over(c);
    return rows_[index(c)].cells;
  }
  const std::uint8_t* row(ChannelId c) const {
    if (rows_[index(c)].cells == nullptr) [[unlikely]]
      take_over(c);
    return rows_[index(c)].cells;
  }
  void take_over(ChannelId c) const;
  void count_hosts_beside(const std::vector<LeafHosts>& hosts, const std::vector<float>& expected);
  unsigned set_kinds(const Fabric& fabric, const std::vector<LeafHosts>& hosts, const std::vector<float>& expected);

  By by_ = By::kLeaves;
  std::uint32_t num_leaves_ = 1;
  std::size_t num_shifts_ = 1;   // by hosts, or by whole leaves
  std::uint32_t num_hosts_ = 0;  // where shifts by hosts are counted beside these
  std::uint32_t hosts_of_leaf_ = 0;
  unsigned first_bits_ = 0;  // that a number of a shift by hosts takes; rows have the others but one
  std::array<PackedCounts::Window, 2> halves_{};  // masks of the first half of these and the others
  std::array<PackedCounts::Wide, 2> ones_{};      // of all of these, from the first or the second count of a byte on
  PackedCounts counts_;                           // by parts, and of these
  std::array<Kind, 2> kinds_;
  // Null unless by parts, or by hosts.
  std::shared_ptr<const std::vector<std::uint8_t>> parts_;  // per place of a host: the part of the leaf that it is in
  std::shared_ptr<const std::vector<LeafHosts>> hosts_;     // per leaf
  double price_of_means_ = 0;                               // times a sum to the fifth power
  std::shared_ptr<const std::vector<std::uint32_t>> factors_;  // of prices, per channel; null: all links are alike
  std::shared_ptr<const Without> fewer_;                       // null: all flows
  LargeArray<std::uint8_t> cells_;                             // of the first
  LargeArray<std::uint8_t> cells_by_host_;
  bool is_settled_ = true;
  // A look at a channel may change these.
  mutable std::vector<std::uint32_t> sums_;  // by hosts: of all shifts, per channel
  mutable LargeVector<Row> rows_;            // per channel
  mutable std::vector<ByHost> by_host_;
  mutable ChunkedLog<std::uint32_t> later_;  // changes: a row, first_bits_ of a first shift, and whether it is one more
  mutable Arena<std::uint8_t> written_;      // of a view: rows that it has written
};

// Loads, and flows on their channels that do not count.
struct ClassLoads::Without {
  ClassLoads loads;
  std::vector<std::uint32_t> first;  // per channel, and one more: its flows
  std::vector<Flow> flows;
};

}  // namespace espalier
