// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The rows of tables, wherever they lie: for readers of tables that share most of their entries with others. A row lies in
// one piece, or is another row but for some blocks of 64 LIDs, the pieces in which OpenSM sends tables.
#pragma once

#include <algorithm>
#include <vector>

#include "core/fabric/forwarding_tables.h"
#include "core/fabric/ids.h"

namespace espalier {

class TableRow {
 public:
  // `blocks`: where each block lies; null: all of them in one piece at `shared`.
  // REQUIRES: `shared` has `size` entries, and both outlive this.
  TableRow(const PortNum* shared, const PortNum* const* blocks, std::size_t size)
      : shared_(shared), blocks_(blocks), size_(size) {}

  [[nodiscard]] PortNum operator[](std::size_t lid) const {
    return blocks_ == nullptr ? shared_[lid] : blocks_[lid / kLidsPerBlock][lid % kLidsPerBlock];
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool is_in_one_piece() const { return blocks_ == nullptr; }
  // The row in one piece with which it shares blocks, all of them if it is in one piece itself.
  [[nodiscard]] const PortNum* shared() const { return shared_; }

  // Its first entries. REQUIRES: size <= size().
  [[nodiscard]] TableRow shrunk(std::size_t size) const { return {shared_, blocks_, size}; }

  // visit(first LID, entries, how many of them) for each block that lies elsewhere than in the row at `other`, ascending.
  template <class Visit>
  void for_each_block_apart(const PortNum* other, Visit&& visit) const {
    if (blocks_ == nullptr && shared_ == other) return;
    for (std::size_t first = 0; first < size_; first += kLidsPerBlock) {
      const PortNum* const block = blocks_ == nullptr ? shared_ + first : blocks_[first / kLidsPerBlock];
      if (block != other + first) visit(first, block, std::min(kLidsPerBlock, size_ - first));
    }
  }

  // REQUIRES: count <= size().
  void copy_to(PortNum* to, std::size_t count) const {
    std::copy_n(shared_, count, to);
    for_each_block_apart(shared_, [&](std::size_t first, const PortNum* entries, std::size_t size) {
      if (first < count) std::copy_n(entries, std::min(size, count - first), to + first);
    });
  }

  // All of it in one piece: where it is, or copied into `buffer`.
  [[nodiscard]] const PortNum* in_one_piece(std::vector<PortNum>& buffer) const {
    if (is_in_one_piece()) return shared_;
    buffer.resize(size_);
    copy_to(buffer.data(), size_);
    return buffer.data();
  }

 private:
  const PortNum* shared_;
  const PortNum* const* blocks_;
  std::size_t size_;
};

class TableRows {
 public:
  TableRows() = default;
  // REQUIRES: every row has `width` entries in one piece, and outlives this.
  TableRows(const std::vector<const PortNum*>& rows, std::size_t width) : width_(width) {
    rows_.reserve(rows.size());
    for (const PortNum* const row : rows) rows_.emplace_back(row, nullptr, width);
  }
  // All rows of tables, which have to outlive this.
  explicit TableRows(const ForwardingTables& tables) : width_(tables.width()) {
    rows_.reserve(tables.num_switches());
    for (const SwitchId s : IdRange<SwitchId>(tables.num_switches()))
      rows_.emplace_back(tables.row(s).data(), nullptr, width_);
  }

  [[nodiscard]] std::size_t num_switches() const { return rows_.size(); }
  [[nodiscard]] std::size_t width() const { return width_; }
  [[nodiscard]] PortNum at(SwitchId s, Lid lid) const { return rows_[index(s)][index(lid)]; }
  [[nodiscard]] const TableRow& row(SwitchId s) const { return rows_[index(s)]; }

 private:
  friend class PatchedTables;

  std::vector<TableRow> rows_;
  std::size_t width_ = 0;
};

}  // namespace espalier
