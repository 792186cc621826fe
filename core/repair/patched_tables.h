// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Tables that differ from others in some blocks of 64 LIDs. Only these are stored; everything else is at its place in the
// memory of the others, so that nobody has to copy it, nor to compare it in order to know that it is the same. A link at
// the top of a large tree touches the rows of half the switches, in one block each.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "core/fabric/table_rows.h"

namespace espalier {

class PatchedTables {
 public:
  PatchedTables() = default;
  // Nothing differs yet. REQUIRES: all rows are in one piece and outlive this.
  explicit PatchedTables(TableRows rows) : rows_(std::move(rows)), blocks_(rows_.num_switches()) {}
  // Nothing is shared.
  explicit PatchedTables(ForwardingTables whole)
      : whole_(std::move(whole)), rows_(whole_), blocks_(rows_.num_switches()) {}
  PatchedTables(PatchedTables&&) noexcept = default;
  PatchedTables& operator=(PatchedTables&&) noexcept = default;
  PatchedTables(const PatchedTables&) = delete;
  PatchedTables& operator=(const PatchedTables&) = delete;
  ~PatchedTables() = default;

  [[nodiscard]] const TableRows& rows() const { return rows_; }
  void set(SwitchId s, Lid lid, PortNum port) {
    const PortNum** blocks = blocks_[index(s)];
    if (blocks == nullptr) blocks = start_row(s);
    const std::size_t block = index(lid) / kLidsPerBlock;
    const PortNum* const shared = rows_.rows_[index(s)].shared() + block * kLidsPerBlock;
    if (blocks[block] == shared) blocks[block] = own_block(s, block);
    const_cast<PortNum*>(blocks[block])[index(lid) % kLidsPerBlock] = port;  // it is of ours
  }

  // A copy of all rows, in one piece.
  [[nodiscard]] ForwardingTables whole() const {
    ForwardingTables tables = ForwardingTables::unwritten(rows_.num_switches(), id_at<Lid>(rows_.width() - 1));
    for (const SwitchId s : IdRange<SwitchId>(rows_.num_switches()))
      rows_.row(s).copy_to(tables.row(s).data(), rows_.width());
    return tables;
  }

 private:
  // Room for one thing after another that stays where it is.
  template <class T>
  class Store {
   public:
    T* take(std::size_t count) {
      constexpr std::size_t kChunk = std::size_t{1} << 14U;
      if (left_ < count) {
        left_ = std::max(kChunk, count);
        chunks_.push_back(std::make_unique_for_overwrite<T[]>(left_));
        next_ = chunks_.back().get();
      }
      left_ -= count;
      return std::exchange(next_, next_ + count);
    }

   private:
    std::vector<std::unique_ptr<T[]>> chunks_;
    T* next_ = nullptr;
    std::size_t left_ = 0;
  };

  const PortNum** start_row(SwitchId s) {
    TableRow& row = rows_.rows_[index(s)];
    const std::size_t count = (row.size() + kLidsPerBlock - 1) / kLidsPerBlock;
    const PortNum** const blocks = pointers_.take(count);
    for (std::size_t i = 0; i < count; ++i) blocks[i] = row.shared() + i * kLidsPerBlock;
    row = TableRow(row.shared(), blocks, row.size());
    return blocks_[index(s)] = blocks;
  }

  PortNum* own_block(SwitchId s, std::size_t block) {
    const std::size_t first = block * kLidsPerBlock;
    PortNum* const own = entries_.take(kLidsPerBlock);
    std::copy_n(rows_.rows_[index(s)].shared() + first, std::min(kLidsPerBlock, rows_.width() - first), own);
    return own;
  }

  ForwardingTables whole_;  // of tables that share nothing
  TableRows rows_;
  std::vector<const PortNum**> blocks_;  // per switch: its row's, once something of it differs
  Store<const PortNum*> pointers_;
  Store<PortNum> entries_;
};

}  // namespace espalier
