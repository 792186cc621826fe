// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/upload/slices.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/analysis/routes/walk.h"
#include "core/analysis/soundness/compatible_tables.h"
#include "core/analysis/soundness/verify.h"
#include "core/fabric/table_delta.h"

namespace espalier {
namespace {

// Whether an old entry, which is to be replaced, leads on to a switch, as far as one entry tells.
bool still_leads(const Fabric& fabric, const ForwardingTables& current, SwitchId s, Lid lid) {
  if (!fabric.is_in_use(lid)) return true;                // nobody asks for it
  if (s == fabric.destination_switch(lid)) return false;  // here only one entry is right
  return step(fabric, current, s, lid).kind == Step::Kind::kForward;
}

// Per LID: some switch has lost its way.
std::vector<std::uint8_t> lost_lids(const Fabric& fabric, const ForwardingTables& current,
                                    const ForwardingTables& wanted) {
  std::vector<std::uint8_t> is_lost(wanted.width());
  for (const SwitchId s : fabric.switches()) {
    const auto was = current.row(s);
    const auto is = wanted.row(s);
    for (std::size_t lid = 1; lid < is_lost.size(); ++lid)
      if (was[lid] != is[lid] && !still_leads(fabric, current, s, id_at<Lid>(lid))) is_lost[lid] = 1;
  }
  return is_lost;
}

// The blocks of one column: of the same 64 LIDs on all switches.
struct Column {
  std::uint64_t lost = 0;    // in which a lost LID changes
  std::uint64_t others = 0;  // in which only others change
};

// By LIDs, ascending.
std::vector<Column> columns_of(const Fabric& fabric, const ForwardingTables& current, const ForwardingTables& wanted,
                               const std::vector<std::uint8_t>& is_lost) {
  std::vector<Column> columns;
  for (std::size_t begin = 0; begin < wanted.width(); begin += kLidsPerBlock) {
    Column column;
    const std::size_t end = std::min(begin + kLidsPerBlock, wanted.width());
    for (const SwitchId s : fabric.switches()) {
      bool any = false, any_lost = false;
      for (std::size_t lid = begin; lid < end; ++lid) {
        const bool differs = current.row(s)[lid] != wanted.row(s)[lid];
        any = any || differs;
        any_lost = any_lost || (differs && is_lost[lid] != 0);
      }
      column.lost += any_lost ? 1 : 0;
      column.others += any && !any_lost ? 1 : 0;
    }
    columns.push_back(column);
  }
  return columns;
}

// Old tables, but for lost LIDs and those of the first `count` columns.
ForwardingTables mixed(const Fabric& fabric, const ForwardingTables& current, const ForwardingTables& wanted,
                       std::vector<std::uint8_t> is_new, std::size_t count) {
  std::fill_n(is_new.begin(), std::min(count * kLidsPerBlock, is_new.size()), std::uint8_t{1});
  ForwardingTables tables = current;
  for (const SwitchId s : fabric.switches())
    for (std::size_t lid = 0; lid < is_new.size(); ++lid)
      if (is_new[lid] != 0) tables.row(s)[lid] = wanted.row(s)[lid];
  return tables;
}

// How many columns are sent within the limit, if no proof forbids; `lost` blocks are sent in any case.
std::size_t count_within(const std::vector<Column>& columns, std::uint64_t lost, std::uint64_t max_blocks) {
  std::uint64_t blocks = lost;
  std::size_t count = 0;
  for (; count < columns.size(); ++count) {
    const bool has_some = blocks != 0;
    blocks += columns[count].others;
    if (blocks > max_blocks && has_some) break;
  }
  return count;
}

}  // namespace

Slice next_slice(const Fabric& fabric, const ForwardingTables& current, const ForwardingTables& wanted,
                 std::uint64_t max_blocks) {
  const std::vector<std::uint8_t> is_lost = lost_lids(fabric, current, wanted);
  const std::vector<Column> columns = columns_of(fabric, current, wanted, is_lost);
  std::uint64_t lost = 0;
  for (const Column& column : columns) lost += column.lost;

  std::optional<Slice> when_sent;
  for (std::size_t count = count_within(columns, lost, max_blocks);; count /= 2) {
    ForwardingTables tables = mixed(fabric, current, wanted, is_lost, count);
    const std::uint64_t blocks = difference(current, tables).num_blocks;
    const std::uint64_t left = difference(tables, wanted).num_blocks;
    if (left == 0) return {std::move(tables), blocks, 0, Slice::Proof::kWhenSent};
    if (blocks == 0) break;
    if (verify(fabric, tables).ok()) {
      const bool underway = are_compatible(fabric, current, tables);
      Slice slice{std::move(tables), blocks, left, underway ? Slice::Proof::kUnderway : Slice::Proof::kWhenSent};
      if (underway) return slice;
      if (!when_sent) when_sent = std::move(slice);
    }
    if (count == 0) break;
  }
  if (when_sent) return *std::move(when_sent);
  return {wanted, difference(current, wanted).num_blocks, 0, Slice::Proof::kNone};
}

}  // namespace espalier
