// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Tables that differ from others in some rows. Only these are stored; every other row is the row of the others, at its
// place in memory, so that nobody has to copy it, nor to compare it in order to know that it is the same.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "core/fabric/table_rows.h"

namespace espalier {

class PatchedTables {
 public:
  PatchedTables() = default;
  // Nothing differs yet. REQUIRES: the rows outlive this.
  explicit PatchedTables(TableRows rows) : rows_(std::move(rows)), own_(rows_.num_switches()) {}
  // All rows are stored here.
  explicit PatchedTables(ForwardingTables whole) : store_(std::move(whole)), rows_(store_), own_(rows_.num_switches()) {
    for (const SwitchId s : IdRange<SwitchId>(own_.size())) own_[index(s)] = store_.row(s).data();
    num_own_ = own_.size();
  }
  PatchedTables(PatchedTables&&) noexcept = default;
  PatchedTables& operator=(PatchedTables&&) noexcept = default;
  PatchedTables(const PatchedTables&) = delete;
  PatchedTables& operator=(const PatchedTables&) = delete;
  ~PatchedTables() = default;

  [[nodiscard]] const TableRows& rows() const { return rows_; }
  [[nodiscard]] bool is_own(SwitchId s) const { return own_[index(s)] != nullptr; }
  // The row to be changed, from now on its own.
  [[nodiscard]] PortNum* own_row(SwitchId s) {
    PortNum*& own = own_[index(s)];
    if (own == nullptr) {
      // Room for all, of which the system hands out no more than what is used.
      if (num_own_ == 0) store_ = ForwardingTables::unwritten(own_.size(), id_at<Lid>(rows_.width() - 1));
      own = store_.row(id_at<SwitchId>(num_own_++)).data();
      std::ranges::copy(rows_.row(s), own);
      rows_.rows_[index(s)] = own;
    }
    return own;
  }

  // A copy of all rows, in one piece.
  [[nodiscard]] ForwardingTables whole() const {
    ForwardingTables tables = ForwardingTables::unwritten(rows_.num_switches(), id_at<Lid>(rows_.width() - 1));
    for (const SwitchId s : IdRange<SwitchId>(rows_.num_switches()))
      std::ranges::copy(rows_.row(s), tables.row(s).begin());
    return tables;
  }

 private:
  ForwardingTables store_;  // its own rows, in the order in which they became so
  TableRows rows_;
  std::vector<PortNum*> own_;  // by switch: its row in store_; null: it is that of the others
  std::size_t num_own_ = 0;
};

}  // namespace espalier
