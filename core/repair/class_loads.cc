// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/class_loads.h"

#include <algorithm>

namespace espalier {
namespace {

constexpr std::size_t kRowsPerChunk = 64;

}  // namespace

ClassLoads::ClassLoads(const Fabric& fabric, std::size_t num_leaves)
    : num_leaves_(std::max<std::size_t>(1, num_leaves)),
      rows_(fabric.num_channels(), nullptr),
      owned_(fabric.num_channels(), 1) {
  std::size_t num_rows = 0;
  for (std::size_t c = 0; c < rows_.size(); ++c) num_rows += fabric.peer(id_at<ChannelId>(c)).is_switch() ? 1 : 0;
  num_classes_ = std::clamp<std::size_t>(kMostCells / std::max<std::size_t>(1, num_rows), 1, num_leaves_);
  cells_ = LargeArray<std::uint8_t>(num_rows * num_classes_);
  cells_.fill_bytes(0);
  std::uint8_t* next = cells_.data();
  for (std::size_t c = 0; c < rows_.size(); ++c) {
    if (!fabric.peer(id_at<ChannelId>(c)).is_switch()) continue;
    rows_[c] = next;
    next += num_classes_;
  }
}

std::uint8_t ClassLoads::most(ChannelId c) const {
  return *std::max_element(rows_[index(c)], rows_[index(c)] + num_classes_);
}

ClassLoads ClassLoads::view() const {
  ClassLoads copy;
  copy.num_leaves_ = num_leaves_;
  copy.num_classes_ = num_classes_;
  copy.rows_ = rows_;
  copy.owned_.assign(owned_.size(), 0);
  return copy;
}

void ClassLoads::take_over(ChannelId c) {
  if (rows_left_ == 0) {
    chunks_.push_back(std::make_unique_for_overwrite<std::uint8_t[]>(kRowsPerChunk * num_classes_));
    rows_left_ = kRowsPerChunk;
  }
  std::uint8_t* const row = chunks_.back().get() + (kRowsPerChunk - rows_left_--) * num_classes_;
  std::copy_n(rows_[index(c)], num_classes_, row);
  rows_[index(c)] = row;
  owned_[index(c)] = 1;
}

}  // namespace espalier
