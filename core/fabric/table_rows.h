// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The rows of tables, wherever each of them lies: for readers of tables that share most of their rows with others.
#pragma once

#include <span>
#include <vector>

#include "core/fabric/forwarding_tables.h"
#include "core/fabric/ids.h"

namespace espalier {

class TableRows {
 public:
  TableRows() = default;
  // REQUIRES: every row has `width` entries, and outlives this.
  TableRows(std::vector<const PortNum*> rows, std::size_t width) : rows_(std::move(rows)), width_(width) {}
  // All rows of tables, which have to outlive this.
  explicit TableRows(const ForwardingTables& tables) : width_(tables.width()) {
    rows_.reserve(tables.num_switches());
    for (const SwitchId s : IdRange<SwitchId>(tables.num_switches())) rows_.push_back(tables.row(s).data());
  }

  [[nodiscard]] std::size_t num_switches() const { return rows_.size(); }
  [[nodiscard]] std::size_t width() const { return width_; }
  [[nodiscard]] PortNum at(SwitchId s, Lid lid) const { return rows_[index(s)][index(lid)]; }
  [[nodiscard]] std::span<const PortNum> row(SwitchId s) const { return {rows_[index(s)], width_}; }

 private:
  friend class PatchedTables;

  std::vector<const PortNum*> rows_;
  std::size_t width_ = 0;
};

}  // namespace espalier
