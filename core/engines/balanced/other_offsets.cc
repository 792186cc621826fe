// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/balanced/other_offsets.h"

#include <algorithm>
#include <utility>

#include "core/engines/balanced/offset_round_robin.h"
#include "core/engines/balanced/parameters.h"

namespace espalier {

OtherOffsets::OtherOffsets(const ShiftRepair::Task& task, std::span<const HostRun> sources)
    : task_(task), sources_(sources), budget_(task.options.milliseconds) {
  for (const EndportId e : task.problem.order.hosts) {
    const std::size_t lids = std::size_t{1} << task.problem.fabric.at(e).lmc;
    lids_ += lids - 1;
    size_ = std::max(size_, lids);
  }
}

bool OtherOffsets::are_wanted() const { return size_ > 1 && task_.options.objective.offsets; }

bool OtherOffsets::pay_for_entries(std::uint32_t share) {
  return budget_.spend(lids_ * task_.problem.fabric.num_switches(), kBalanced.computed_entries_per_ms, share);
}

void OtherOffsets::pay_for_shares(std::size_t ingress_channels) {
  has_shares_ = are_wanted() && budget_.spend(lids_ * ingress_channels, kBalanced.offset_channels_per_ms);
}

void OtherOffsets::find_after(ShiftRepair& repair, const HostColumns& first, const std::vector<Ingress>& ingress) {
  if (!has_shares_ || task_.deadline.passed()) return;
  columns_ = by_shares(first, ingress);
  (void)repair.run_offsets(budget_, {}, columns_);
}

void OtherOffsets::find(const HostColumns& first, const std::vector<Ingress>& ingress, const ForwardingTables& start) {
  if (!has_shares_ || are_found() || task_.deadline.passed()) return;
  columns_ = by_shares(first, ingress);
  if (!ShiftRepair::pay(task_, budget_)) return;
  ShiftRepair repair(task_);
  const WorkBudget half(budget_.milliseconds() / 2);
  const auto with_shares = repair.run_offsets(half, {}, columns_);
  std::vector<HostColumns> others = rotated(first, start);
  const auto with_others = repair.run_offsets(half, {}, others);
  if (with_shares && with_others && *with_others < *with_shares) columns_ = std::move(others);
}

bool OtherOffsets::find_rotated(const HostColumns& first, const ForwardingTables& start,
                                std::span<const Pieces> pieces) {
  if (!are_wanted() || task_.deadline.passed() || !ShiftRepair::pay(task_, budget_)) return false;
  std::vector<HostColumns> found = rotated(first, start);
  if (!ShiftRepair(task_).run_offsets(budget_, pieces, found)) return false;
  columns_ = std::move(found);
  return true;
}

bool OtherOffsets::find_rotated_above(std::uint32_t bound, std::size_t shifts, const HostColumns& first,
                                      const ForwardingTables& start) {
  if (!are_wanted() || task_.deadline.passed()) return false;
  const auto spread = ShiftRepair::sample(task_, shifts, rotated(first, start));
  return spread && spread->worst_shift > bound && find_rotated(first, start);
}

void OtherOffsets::write(ForwardingTables& tables) const {
  for (unsigned k = 1; k < columns_.size(); ++k) columns_[k].write_offset(task_.problem, task_.channels, k, tables);
}

std::vector<HostColumns> OtherOffsets::by_shares(const HostColumns& first, const std::vector<Ingress>& ingress) const {
  std::vector<HostColumns> columns(size_, first);
  assign_offsets(task_.problem, task_.channels, sources_, ingress, columns);
  return columns;
}

std::vector<HostColumns> OtherOffsets::rotated(const HostColumns& first, ForwardingTables tables) const {
  first.write(task_.problem, task_.channels, tables);
  std::vector<HostColumns> columns{first};
  for (unsigned k = 1; k < size_; ++k) columns.emplace_back(task_.problem, task_.channels, tables, k);
  return columns;
}

}  // namespace espalier
