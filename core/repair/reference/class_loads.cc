// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/reference/class_loads.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "core/base/flat_lists.h"
#include "core/fabric/capacities.h"

namespace espalier {
namespace {

constexpr unsigned kFactorOfOne = 64;   // so that links of twice the rate have a factor as well
constexpr double kShareOfMeans = 0.05;  // The highest mean costs so much of what the highest load does.
constexpr float kSlowest = 8;           // times as slow as a host's link
constexpr unsigned kMostOfHalfByte = 9;
// Where a channel has to expect more flows, shifts are counted by whole leaves: to look at parts for each choice would take
// a sixth more time (8 640 hosts, 4 flows, 432 lost links), and where shifts are too full in the end is seen all the same.
constexpr float kMostForParts = 2;
constexpr float kMostByHost = 8;         // flows to expect, where half a byte for a shift by hosts leaves repairs room
constexpr std::size_t kRoomBehind = 16;  // bytes at the end of a row
constexpr float kShareOfFine = 0.6F;     // of the most flows: with as many a channel has fine parts

// What flows on a channel cost, to the sixth power, beside those on a host's link.
std::vector<std::uint32_t> price_factors(const Fabric& fabric, const Capacities& capacities) {
  std::vector<std::uint32_t> factors(fabric.num_channels(), 1);
  for (std::size_t c = 0; c < factors.size(); ++c) {
    if (!fabric.peer(id_at<ChannelId>(c)).is_switch()) continue;
    const float weight = std::min(capacities.weight(id_at<ChannelId>(c)), kSlowest);
    factors[c] = static_cast<std::uint32_t>(std::max(1.0F, kFactorOfOne * std::pow(weight, 6.0F)));
  }
  return factors;
}

// The factor of a link that has this share of its rate left.
std::uint32_t slower_factor(std::uint32_t factor, float share) {
  const double most = kFactorOfOne * std::pow(kSlowest, 6.0);
  return static_cast<std::uint32_t>(std::clamp(factor / std::pow(static_cast<double>(share), 6.0), 1.0, most));
}

// `hosts`: the switch of each host, by place.
std::vector<ClassLoads::LeafHosts> by_leaf(const std::vector<SwitchId>& leaves, const std::vector<SwitchId>& hosts,
                                           std::size_t num_switches) {
  std::vector<ClassLoads::LeafHosts> found(leaves.size());
  IdVector<SwitchId, std::uint32_t> leaf(num_switches, 0);
  for (std::uint32_t x = 0; x < leaves.size(); ++x) leaf[leaves[x]] = x;
  for (std::uint32_t place = 0; place < hosts.size(); ++place) {
    auto& [runs, count] = found[leaf[hosts[place]]];
    if (runs.empty() || runs.back().end != place) runs.push_back({place, place});
    ++runs.back().end;
    ++count;
  }
  return found;
}

// Which part of the hosts on its leaf each is in, by place.
std::vector<std::uint8_t> parts_of(const std::vector<ClassLoads::LeafHosts>& all, std::size_t num_hosts,
                                   unsigned parts) {
  std::vector<std::uint8_t> found(num_hosts);
  for (const ClassLoads::LeafHosts& leaf : all) {
    std::size_t i = 0;
    for (const auto& [begin, end] : leaf.runs)
      for (std::uint32_t place = begin; place < end; ++place, ++i)
        found[place] = static_cast<std::uint8_t>(i * parts / leaf.count);
  }
  return found;
}

}  // namespace

ClassLoads::ClassLoads(const Fabric& fabric, const std::vector<SwitchId>& leaves, const std::vector<SwitchId>& hosts,
                       const std::vector<float>& expected, bool needs_bytes)
    : num_leaves_(static_cast<std::uint32_t>(std::max<std::size_t>(1, leaves.size()))),
      rows_(fabric.num_channels(), Row{}) {
  std::size_t num_rows = 0;
  for (std::size_t c = 0; c < rows_.size(); ++c) num_rows += fabric.peer(id_at<ChannelId>(c)).is_switch() ? 1 : 0;
  std::vector<LeafHosts> of_leaves = by_leaf(leaves, hosts, fabric.num_switches());
  if (num_rows * hosts.size() <= kMostCellsByHost && !hosts.empty()) {
    num_shifts_ = hosts.size();
    by_ = By::kHosts;
    hosts_ = std::make_shared<std::vector<LeafHosts>>(std::move(of_leaves));
    kinds_[0].bytes = num_shifts_;
    sums_.assign(rows_.size(), 0);
  } else {
    num_shifts_ = std::clamp<std::size_t>(kMostCells / std::max<std::size_t>(1, num_rows), 1, num_leaves_);
    if (!needs_bytes) counts_ = PackedCounts(PackedCounts::Width::kFourBits);
    if (const unsigned parts = set_kinds(fabric, of_leaves, expected); parts > 1) {
      by_ = By::kParts;
      parts_ = std::make_shared<std::vector<std::uint8_t>>(parts_of(of_leaves, hosts.size(), parts));
    } else {
      count_hosts_beside(of_leaves, expected);
    }
  }
  if (const Capacities capacities(fabric); !capacities.all_are_one())
    factors_ = std::make_shared<std::vector<std::uint32_t>>(price_factors(fabric, capacities));
  std::size_t num_bytes = 0;
  for (std::size_t c = 0; c < rows_.size(); ++c)
    if (fabric.peer(id_at<ChannelId>(c)).is_switch()) num_bytes += kind(id_at<ChannelId>(c)).bytes;
  cells_ = LargeArray<std::uint8_t>(num_bytes);
  cells_.fill_bytes(0);
  std::uint8_t* next = cells_.data();
  for (std::size_t c = 0; c < rows_.size(); ++c) {
    if (!fabric.peer(id_at<ChannelId>(c)).is_switch()) continue;
    rows_[c].cells = next;
    next += kind(id_at<ChannelId>(c)).bytes;
  }
}

// By whole leaves, and by hosts as well on the channels that expect most, where hosts are as many on each leaf, one leaf after
// the other, and there is memory.
void ClassLoads::count_hosts_beside(const std::vector<LeafHosts>& hosts, const std::vector<float>& expected) {
  for (Row& row : rows_) row.kind = 0;
  kinds_ = {Kind{.bytes = num_shifts_}, Kind{.bytes = num_shifts_}};
  if (expected.empty() || hosts.empty() || num_shifts_ != num_leaves_) return;
  const std::uint32_t of_leaf = hosts.front().count;
  if (of_leaf > 2 * counts_.most_in_window()) return;
  for (std::uint32_t x = 0; x < hosts.size(); ++x)
    if (hosts[x].count != of_leaf || hosts[x].runs.size() != 1 || hosts[x].runs.front().begin != x * of_leaf) return;
  const float most_expected = *std::ranges::max_element(expected);
  if (most_expected <= 0 || most_expected > kMostByHost) return;
  const auto is_full = [&](std::size_t c) { return expected[c] >= kShareOfFine * most_expected; };
  std::size_t num_full = 0;
  for (std::size_t c = 0; c < rows_.size(); ++c) num_full += is_full(c) ? 1 : 0;
  const std::size_t bytes = counts_.wide_row_bytes(hosts.size() * of_leaf);
  if (num_full * bytes > kMostBytes) return;
  num_hosts_ = static_cast<std::uint32_t>(hosts.size() * of_leaf);
  hosts_of_leaf_ = of_leaf;
  first_bits_ =
      static_cast<unsigned>(std::bit_width(num_hosts_));  // rows are fewer than 2^31 / 2^first_bits_: kMostBytes
  halves_ = {counts_.mask(of_leaf / 2), counts_.mask(of_leaf - of_leaf / 2)};
  if (counts_.is_narrow()) ones_ = {PackedCounts::wide_ones(0, of_leaf), PackedCounts::wide_ones(1, of_leaf)};
  cells_by_host_ = LargeArray<std::uint8_t>(num_full * bytes);
  cells_by_host_.fill_bytes(0);
  for (std::size_t c = 0; c < rows_.size(); ++c) {
    if (!is_full(c)) continue;
    rows_[c].kind = 1;
    rows_[c].by_host = static_cast<std::uint32_t>(by_host_.size());
    by_host_.push_back({cells_by_host_.data() + by_host_.size() * bytes, 1});
  }
}

void ClassLoads::add_otherwise(std::uint8_t* row, ChannelId c, Flow flow) {
  if (is_by_parts()) return counts_.add(row, first(c, flow), kind(c).mask);
  sums_[index(c)] += num_hosts(flow[1]);
  for_each_class(row, flow, [](std::uint8_t& cell) {
    if (cell != kFull) ++cell;
  });
}

void ClassLoads::remove_otherwise(std::uint8_t* row, ChannelId c, Flow flow) const {
  if (is_by_parts()) return counts_.remove(row, first(c, flow), kind(c).mask);
  sums_[index(c)] -= num_hosts(flow[1]);
  for_each_class(row, flow, [](std::uint8_t& cell) {
    if (cell != kFull && cell != 0) --cell;
  });
}

bool ClassLoads::is_above_otherwise(ChannelId c, Flow flow, unsigned limit) const {
  if (is_by_parts()) return counts_.any_at_least(window(c, flow), limit + 1);
  bool is_above = false;
  for_each_class(row(c), flow, [&](std::uint8_t cell) { is_above = is_above || cell > limit; });
  return is_above;
}

std::uint64_t ClassLoads::price_otherwise(ChannelId c, Flow flow) const {
  if (is_by_parts()) return price(window(c, flow), kind(c).parts) * kind(c).weight;
  std::uint64_t sum = num_hosts(flow[1]) * price_of_mean(c);
  for_each_class(row(c), flow, [&](std::uint8_t cell) { sum += kMarginal[cell]; });
  return sum;
}

std::uint8_t* ClassLoads::own_by_host(std::uint32_t row) const {
  auto& [counts, owned] = by_host_[row];
  if (owned == 0) {
    const std::size_t bytes = counts_.wide_row_bytes(num_hosts_);
    std::uint8_t* const own = written_.take(bytes);
    std::copy_n(counts, bytes, own);
    counts = own;
    owned = 1;
  }
  return counts;
}

void ClassLoads::change_at_once(std::uint32_t row, std::uint32_t first, bool is_more) const {
  change_counts(own_by_host(row), first, is_more);
}

void ClassLoads::change_by_windows(std::uint8_t* counts, std::uint32_t first, bool is_more) const {
  for_each_window(first, [&](std::size_t begin, PackedCounts::Window mask) {
    if (is_more)
      counts_.add(counts, begin, mask);
    else
      counts_.remove(counts, begin, mask);
  });
}

void ClassLoads::settle() {
  const FlatLists<std::uint32_t> by_row(by_host_.size(), [&](const auto& add) {
    later_.for_each([&](std::uint32_t change) { add(change >> (first_bits_ + 1), change); });
  });
  later_.clear();
  const std::uint32_t mask = (std::uint32_t{1} << first_bits_) - 1;
  for (std::uint32_t row = 0; row < by_host_.size(); ++row) {
    if (by_row.at(row).empty()) continue;
    std::uint8_t* const counts = own_by_host(row);
    for (const std::uint32_t change : by_row.at(row)) change_counts(counts, change >> 1 & mask, change % 2 != 0);
  }
  is_settled_ = true;
}

// As many parts as there is memory for, each of the same number of hosts. Returns their number: with one there are none.
unsigned ClassLoads::set_kinds(const Fabric& fabric, const std::vector<LeafHosts>& hosts,
                               const std::vector<float>& expected) {
  if (expected.empty()) return 1;
  const float most_expected = *std::ranges::max_element(expected);
  if (most_expected > kMostForParts) return 1;
  std::array<std::size_t, 2> num_rows{};
  for (std::size_t c = 0; c < rows_.size(); ++c) {
    if (!fabric.peer(id_at<ChannelId>(c)).is_switch()) continue;
    rows_[c].kind = expected[c] < kShareOfFine * most_expected ? 1 : 0;
    ++num_rows[rows_[c].kind];
  }
  std::size_t most_hosts = 1;
  for (const LeafHosts& leaf : hosts) most_hosts = std::max<std::size_t>(most_hosts, leaf.count);
  const std::size_t most_bytes = std::max(kMostBytes, (num_rows[0] + num_rows[1]) * (num_shifts_ + kRoomBehind));
  for (std::size_t hosts_of_part = (most_hosts - 1) / counts_.most_in_window() + 1;; ++hosts_of_part) {
    const auto parts = static_cast<unsigned>((most_hosts - 1) / hosts_of_part + 1);
    kinds_[0] = {parts, counts_.mask(parts), 1, counts_.row_bytes((num_shifts_ + 1) * parts)};
    kinds_[1] = {1, counts_.mask(1), parts, counts_.row_bytes(num_shifts_ + 1)};
    if (parts == 1 || num_rows[0] * kinds_[0].bytes + num_rows[1] * kinds_[1].bytes <= most_bytes) return parts;
  }
}

void ClassLoads::set_price_of_means() {
  if (!is_by_hosts()) return;
  const double most_sum = *std::max_element(sums_.begin(), sums_.end());
  const double most = *std::max_element(cells_.data(), cells_.data() + cells_.size());
  if (most_sum > 0) price_of_means_ = kShareOfMeans * 6 * std::pow(most / most_sum, 5);
}

void ClassLoads::slow_down(const std::vector<SlowerChannel>& channels) {
  if (channels.empty()) return;
  auto factors = factors_ != nullptr
                     ? std::make_shared<std::vector<std::uint32_t>>(*factors_)
                     : std::make_shared<std::vector<std::uint32_t>>(rows_.size(), std::uint32_t{kFactorOfOne});
  for (const auto& [c, share] : channels) (*factors)[index(c)] = slower_factor((*factors)[index(c)], share);
  factors_ = std::move(factors);
}

unsigned ClassLoads::most(ChannelId c) const {
  const std::uint8_t* const row = this->row(c);
  if (!is_by_parts()) return *std::max_element(row, row + num_shifts_);
  unsigned most = 0;
  for (std::size_t i = 0; i <= num_shifts_; ++i) {
    const PackedCounts::Window window = counts_.window(row, i * kind(c).parts, kind(c).mask);
    if (most == 0 || counts_.any_at_least(window, most + 1)) most = std::max(most, counts_.most(window));
  }
  return most;
}

bool ClassLoads::is_close_to_full() const {
  if (!is_by_parts() || !counts_.is_narrow()) return false;
  for (std::size_t c = 0; c < rows_.size(); ++c)
    if (rows_[c].cells != nullptr && most(id_at<ChannelId>(c)) > kMostOfHalfByte) return true;
  return false;
}

ClassLoads ClassLoads::view() const {
  ClassLoads copy = view_of_prices();
  copy.num_hosts_ = num_hosts_;
  copy.by_host_ = by_host_;
  for (ByHost& row : copy.by_host_) row.owned = 0;
  copy.later_ = later_;
  copy.is_settled_ = false;
  copy.hosts_of_leaf_ = hosts_of_leaf_;
  copy.first_bits_ = first_bits_;
  copy.halves_ = halves_;
  copy.ones_ = ones_;
  return copy;
}

ClassLoads ClassLoads::view_of_prices() const {
  ClassLoads copy;
  copy.num_leaves_ = num_leaves_;
  copy.num_shifts_ = num_shifts_;
  copy.counts_ = counts_;
  copy.kinds_ = kinds_;
  copy.by_ = by_;
  copy.parts_ = parts_;
  copy.hosts_ = hosts_;
  copy.sums_ = sums_;
  copy.price_of_means_ = price_of_means_;
  copy.factors_ = factors_;
  copy.rows_ = rows_;
  for (Row& row : copy.rows_) row.owned = 0;
  copy.fewer_ = fewer_;
  return copy;
}

ClassLoads ClassLoads::view(std::shared_ptr<const Without> fewer) {
  ClassLoads copy = fewer->loads.view();
  for (std::size_t c = 0; c < copy.rows_.size(); ++c)
    if (fewer->first[c] != fewer->first[c + 1]) copy.rows_[c].cells = nullptr;
  copy.fewer_ = std::move(fewer);
  return copy;
}

void ClassLoads::take_over(ChannelId c) const {
  Row& row = rows_[index(c)];
  const std::size_t bytes = kinds_[row.kind].bytes;
  const bool is_first_look = row.cells == nullptr;
  const std::uint8_t* const before = is_first_look ? fewer_->loads.rows_[index(c)].cells : row.cells;
  row.cells = written_.take(bytes);
  row.owned = 1;
  std::copy_n(before, bytes, row.cells);
  if (!is_first_look) return;
  for (std::uint32_t i = fewer_->first[index(c)]; i < fewer_->first[index(c) + 1]; ++i)
    take_out(row.cells, c, fewer_->flows[i]);
}

}  // namespace espalier
