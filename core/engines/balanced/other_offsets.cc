// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/balanced/other_offsets.h"

#include <utility>

#include "core/base/parallel.h"
#include "core/engines/balanced/offset_round_robin.h"
#include "core/engines/balanced/parameters.h"

namespace espalier {

OtherOffsets::OtherOffsets(const SearchTask& task, std::span<const HostRun> sources)
    : task_(task),
      sources_(sources),
      budget_(task.options.milliseconds),
      size_(std::size_t{1} << most_lmc(task.problem.fabric, task.problem.order.hosts)) {
  for (const EndportId e : task.problem.order.hosts) lids_ += (std::size_t{1} << task.problem.fabric.at(e).lmc) - 1;
}

bool OtherOffsets::are_wanted() const { return size_ > 1 && task_.options.objective.offsets; }

bool OtherOffsets::pay_for_entries(std::uint32_t share) {
  return budget_.spend(lids_ * task_.problem.fabric.num_switches(), kBalanced.computed_entries_per_ms, share);
}

void OtherOffsets::pay_for_shares(std::size_t ingress_channels) {
  has_shares_ = are_wanted() && budget_.spend(lids_ * ingress_channels, kBalanced.offset_channels_per_ms);
}

void OtherOffsets::find_after(ShiftRepair& repair, std::size_t sampled_shifts, const HostColumns& first,
                              const std::vector<Ingress>& ingress) {
  if (!has_shares_ || task_.deadline.passed()) return;
  columns_ = better_start(by_shares(first, ingress), sampled_shifts);
  (void)repair.run_offsets(budget_, {}, columns_);
}

void OtherOffsets::find(const HostColumns& first, const std::vector<Ingress>& ingress, const ForwardingTables& start,
                        std::size_t sampled_shifts) {
  if (!has_shares_ || are_found() || task_.deadline.passed()) return;
  columns_ = by_shares(first, ingress);
  if (!ShiftRepair::pay(task_, budget_)) return;
  ShiftRepair repair(task_);
  std::vector<Columns> starts{rotated(first, start)};
  if (pay_for_other_hosts()) keep_apart(columns_, starts.emplace_back(by_other_hosts(columns_)));
  const WorkBudget part(budget_.milliseconds() / static_cast<std::uint32_t>(1 + starts.size()));
  // Loads that are too high for a repair can still be compared.
  const auto spread_of = [&](Columns& columns) {
    const auto repaired = repair.run_offsets(part, {}, columns);
    return repaired ? *repaired : ShiftRepair::sample(task_, sampled_shifts, columns);
  };
  auto least = spread_of(columns_);
  for (Columns& other : starts)
    if (const auto spread = spread_of(other); spread < least) {
      least = spread;
      columns_ = std::move(other);
    }
}

bool OtherOffsets::find_rotated(const HostColumns& first, const ForwardingTables& start,
                                std::span<const Pieces> pieces) {
  return are_wanted() && repair_from(rotated(first, start), pieces);
}

bool OtherOffsets::find_above(std::uint32_t bound, std::size_t sampled_shifts, const HostColumns& first,
                              const ForwardingTables& start) {
  if (!are_wanted() || task_.deadline.passed()) return false;
  Columns columns = rotated(first, start);
  return ShiftRepair::sample(task_, sampled_shifts, columns).worst_shift > bound &&
         repair_from(better_start(std::move(columns), sampled_shifts), {});
}

bool OtherOffsets::repair_from(Columns columns, std::span<const Pieces> pieces) {
  if (task_.deadline.passed() || !ShiftRepair::pay(task_, budget_)) return false;
  if (!ShiftRepair(task_).run_offsets(budget_, pieces, columns)) return false;
  columns_ = std::move(columns);
  return true;
}

void OtherOffsets::write(ForwardingTables& tables) const {
  for (unsigned k = 1; k < columns_.size(); ++k) columns_[k].write_offset(task_.problem, task_.channels, k, tables);
}

OtherOffsets::Columns OtherOffsets::by_shares(const HostColumns& first, const std::vector<Ingress>& ingress) const {
  Columns columns(size_, first);
  assign_offsets(task_.problem, task_.channels, sources_, ingress, columns);
  return columns;
}

OtherOffsets::Columns OtherOffsets::by_other_hosts(const Columns& start) const {
  Columns columns = start;
  for (const HostRun& run : sources_) {
    const std::uint32_t hosts = run.last - run.first;
    if (hosts < size_) continue;
    for (unsigned k = 1; k < size_; ++k)
      for (std::uint32_t i = 0; i < hosts; ++i)
        std::ranges::copy(start[0].column(run.first + (i + k) % hosts), columns[k].column(run.first + i).begin());
  }
  return columns;
}

bool OtherOffsets::pay_for_other_hosts() {
  const bool has_others =
      std::ranges::any_of(sources_, [&](const HostRun& run) { return run.last - run.first >= size_; });
  return has_others && budget_.spend(task_.problem.order.hosts.size() * sources_.size() * size_ * (size_ - 1),
                                     kBalanced.compared_paths_per_ms, kBalanced.alternatives_share);
}

void OtherOffsets::keep_apart(const Columns& start, Columns& columns) const {
  parallel_for(task_.problem.order.hosts.size(), [&](std::size_t host) {
    const bool is_apart = std::ranges::all_of(sources_, [&](const HostRun& source) {
      return count_meetings(columns, source, host) <= count_meetings(start, source, host);
    });
    if (is_apart) return;
    for (unsigned k = 1; k < size_; ++k) std::ranges::copy(start[k].column(host), columns[k].column(host).begin());
  });
}

OtherOffsets::Columns OtherOffsets::better_start(Columns start, std::size_t sampled_shifts) {
  if (!pay_for_other_hosts()) return start;
  Columns others = by_other_hosts(start);
  const auto before = ShiftRepair::sample(task_, sampled_shifts, start);
  const auto now = ShiftRepair::sample(task_, sampled_shifts, others);
  if (static_cast<double>(now.sum) >= kBalanced.other_hosts_share * static_cast<double>(before.sum)) return start;
  keep_apart(start, others);
  return others;
}

// visit(switch, channel that it takes)
template <class Visit>
void OtherOffsets::visit_path(const HostColumns& columns, const HostRun& source, std::size_t host, Visit visit) const {
  const auto column = columns.column(host);
  for (SwitchId s = source.at; column[index(s)] != kNoHop;) {
    const TreeChannelId c = task_.channels.at(s, column[index(s)]);
    visit(s, c);
    s = task_.channels.remote(c);
  }
}

// How many switches and channels paths from the source to different LIDs of the host have in common.
std::size_t OtherOffsets::count_meetings(const Columns& columns, const HostRun& source, std::size_t host) const {
  std::size_t meetings = 0;
  for (std::size_t k = 1; k < columns.size(); ++k)
    for (std::size_t other = 0; other < k; ++other)
      visit_path(columns[k], source, host, [&](SwitchId s, TreeChannelId c) {
        visit_path(columns[other], source, host, [&](SwitchId t, TreeChannelId d) {
          meetings += (s == t && s != source.at ? 1 : 0) + (c == d ? 1 : 0);
        });
      });
  return meetings;
}

OtherOffsets::Columns OtherOffsets::rotated(const HostColumns& first, ForwardingTables tables) const {
  first.write(task_.problem, task_.channels, tables);
  Columns columns{first};
  for (unsigned k = 1; k < size_; ++k) columns.emplace_back(task_.problem, task_.channels, tables, k);
  return columns;
}

}  // namespace espalier
