// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Tables that differ from others in some blocks of 64 LIDs. Only these are stored; everything else is at its place in the
// memory of the others, so that nobody has to copy it, nor to compare it in order to know that it is the same. A leaf that
// loses a link changes the rows of all other leaves of a large tree, in a block or two each.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/fabric/table_rows.h"
#include "core/repair/memory/arena.h"

namespace espalier {

class PatchedTables {
 public:
  PatchedTables() = default;
  // Nothing differs yet. REQUIRES: all rows are in one piece and outlive this.
  explicit PatchedTables(TableRows rows) : rows_(std::move(rows)), own_(rows_.num_switches()) {}
  // Nothing is shared.
  explicit PatchedTables(ForwardingTables whole)
      : tables_(std::move(whole)), rows_(tables_), own_(rows_.num_switches()) {
    for (const SwitchId s : IdRange<SwitchId>(own_.size())) own_[index(s)].row = tables_.row(s).data();
  }
  PatchedTables(PatchedTables&&) noexcept = default;
  PatchedTables& operator=(PatchedTables&&) noexcept = default;
  PatchedTables(const PatchedTables&) = delete;
  PatchedTables& operator=(const PatchedTables&) = delete;
  ~PatchedTables() = default;

  [[nodiscard]] const TableRows& rows() const { return rows_; }
  // Where each block of a row lies that is not in one piece; else null.
  [[nodiscard]] const PortNum* const* blocks(SwitchId s) const {
    return own_[index(s)].row == nullptr ? own_[index(s)].blocks : nullptr;
  }
  // True: rows().row(s) or blocks(s) is not what it was.
  bool set(SwitchId s, Lid lid, PortNum port) {
    Own& own = own_[index(s)];
    if (own.row != nullptr) {
      own.row[index(lid)] = port;
      return false;
    }
    const bool had_blocks = own.blocks != nullptr;
    PortNum* const block = own_block(s, own, index(lid) / kLidsPerBlock);
    (block != nullptr ? block[index(lid) % kLidsPerBlock] : own.row[index(lid)]) = port;
    return block == nullptr || !had_blocks;
  }

  // No more than the first `width` entries of each row. REQUIRES: they have as many.
  void shrink(std::size_t width) {
    rows_.width_ = width;
    for (TableRow& row : rows_.rows_) row = row.shrunk(width);
  }

  // All of it, where nothing is shared; null: something is.
  [[nodiscard]] const ForwardingTables* unshared() const {
    const bool is_all = tables_.num_switches() == rows_.num_switches() && tables_.width() == rows_.width();
    return is_all && tables_.num_switches() > 0 ? &tables_ : nullptr;
  }

  // A copy of all rows, in one piece.
  [[nodiscard]] ForwardingTables whole() const {
    ForwardingTables tables = ForwardingTables::unwritten(rows_.num_switches(), id_at<Lid>(rows_.width() - 1));
    for (const SwitchId s : IdRange<SwitchId>(rows_.num_switches()))
      rows_.row(s).copy_to(tables.row(s).data(), rows_.width());
    return tables;
  }

 private:
  // A row of which more differs is stored whole: to read it from many places takes longer than to copy it.
  static constexpr std::size_t kMostShare = 8;  // one block in so many

  // What is stored of a row.
  struct Own {
    PortNum* row = nullptr;            // all of it
    const PortNum** blocks = nullptr;  // where each block lies; null: none is stored
    std::uint32_t num_blocks = 0;      // that are stored
  };

  // The block to be changed; null: the whole row is, from now on.
  PortNum* own_block(SwitchId s, Own& own, std::size_t block) {
    TableRow& row = rows_.rows_[index(s)];
    const PortNum* const shared = row.shared() + block * kLidsPerBlock;
    if (own.blocks != nullptr && own.blocks[block] != shared) return const_cast<PortNum*>(own.blocks[block]);
    const std::size_t count = (row.size() + kLidsPerBlock - 1) / kLidsPerBlock;
    if (own.num_blocks > count / kMostShare) {
      store_row(s, own);
      return nullptr;
    }
    if (own.blocks == nullptr) {
      own.blocks = pointers_.take(count);
      for (std::size_t i = 0; i < count; ++i) own.blocks[i] = row.shared() + i * kLidsPerBlock;
      row = TableRow(row.shared(), own.blocks, row.size());
    }
    PortNum* const copy = entries_.take(kLidsPerBlock);
    std::copy_n(shared, std::min(kLidsPerBlock, row.size() - block * kLidsPerBlock), copy);
    own.blocks[block] = copy;
    ++own.num_blocks;
    return copy;
  }

  void store_row(SwitchId s, Own& own) {
    own.row = entries_.take(ForwardingTables::stride(rows_.width()));
    rows_.rows_[index(s)].copy_to(own.row, rows_.width());
    rows_.rows_[index(s)] = TableRow(own.row, nullptr, rows_.width());
  }

  ForwardingTables tables_;  // where nothing is shared
  TableRows rows_;
  std::vector<Own> own_;  // per switch
  Arena<const PortNum*> pointers_;
  Arena<PortNum> entries_;
};

}  // namespace espalier
