// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/reference/class_loads.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/fabric/capacities.h"

namespace espalier {
namespace {

constexpr float kFactorOfOne = 64;      // so that links of twice the rate have a factor as well
constexpr double kShareOfMeans = 0.05;  // The highest mean costs so much of what the highest load does.
constexpr float kSlowest = 8;           // times as slow as a host's link

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

}  // namespace

ClassLoads::ClassLoads(const Fabric& fabric, const std::vector<SwitchId>& leaves, const std::vector<SwitchId>& hosts)
    : num_leaves_(std::max<std::size_t>(1, leaves.size())),
      rows_(fabric.num_channels(), nullptr),
      owned_(fabric.num_channels(), 1) {
  std::size_t num_rows = 0;
  for (std::size_t c = 0; c < rows_.size(); ++c) num_rows += fabric.peer(id_at<ChannelId>(c)).is_switch() ? 1 : 0;
  if (num_rows * hosts.size() <= kMostCellsByHost && !hosts.empty()) {
    num_classes_ = hosts.size();
    hosts_ = std::make_shared<std::vector<LeafHosts>>(by_leaf(leaves, hosts, fabric.num_switches()));
    sums_.assign(rows_.size(), 0);
  } else {
    num_classes_ = std::clamp<std::size_t>(kMostCells / std::max<std::size_t>(1, num_rows), 1, num_leaves_);
  }
  if (const Capacities capacities(fabric); !capacities.all_are_one())
    factors_ = std::make_shared<std::vector<std::uint32_t>>(price_factors(fabric, capacities));
  cells_ = LargeArray<std::uint8_t>(num_rows * num_classes_);
  cells_.fill_bytes(0);
  std::uint8_t* next = cells_.data();
  for (std::size_t c = 0; c < rows_.size(); ++c) {
    if (!fabric.peer(id_at<ChannelId>(c)).is_switch()) continue;
    rows_[c] = next;
    next += num_classes_;
  }
}

void ClassLoads::set_price_of_means() {
  if (!is_by_hosts()) return;
  const double most_sum = *std::max_element(sums_.begin(), sums_.end());
  const double most = *std::max_element(cells_.data(), cells_.data() + cells_.size());
  if (most_sum > 0) price_of_means_ = kShareOfMeans * 6 * std::pow(most / most_sum, 5);
}

std::uint8_t ClassLoads::most(ChannelId c) const { return *std::max_element(row(c), row(c) + num_classes_); }

ClassLoads ClassLoads::view() const {
  ClassLoads copy;
  copy.num_leaves_ = num_leaves_;
  copy.num_classes_ = num_classes_;
  copy.hosts_ = hosts_;
  copy.sums_ = sums_;
  copy.price_of_means_ = price_of_means_;
  copy.factors_ = factors_;
  copy.rows_ = rows_;
  copy.owned_.assign(owned_.size(), 0);
  copy.fewer_ = fewer_;
  return copy;
}

ClassLoads ClassLoads::view(std::shared_ptr<const Without> fewer) {
  ClassLoads copy = fewer->loads.view();
  for (std::size_t c = 0; c < copy.rows_.size(); ++c)
    if (fewer->first[c] != fewer->first[c + 1]) copy.rows_[c] = nullptr;
  copy.fewer_ = std::move(fewer);
  return copy;
}

void ClassLoads::take_over(ChannelId c) const {
  std::uint8_t* const row = written_.take(num_classes_);
  const bool is_first_look = rows_[index(c)] == nullptr;
  std::copy_n(is_first_look ? fewer_->loads.rows_[index(c)] : rows_[index(c)], num_classes_, row);
  rows_[index(c)] = row;
  owned_[index(c)] = 1;
  if (!is_first_look) return;
  for (std::uint32_t i = fewer_->first[index(c)]; i < fewer_->first[index(c) + 1]; ++i) take_out(c, fewer_->flows[i]);
}

}  // namespace espalier
