// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/broken/open_entries.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "core/base/byte_block.h"
#include "core/base/parallel.h"

namespace espalier {
namespace {

using Columns = std::vector<std::uint32_t>;
using Open = std::pair<std::uint32_t, SwitchId>;  // column, switch
using SwitchColumns = IdVector<SwitchId, Columns>;

// LIDs with an entry on a lost link; of an incomplete reference all.
void find_touched_columns(const WorkingState& state, OpenEntries& found) {
  const PreparedReference& prepared = state.prepared;
  const Fabric& fabric = prepared.fabric();
  std::vector<std::uint8_t> touched(prepared.num_lids(), prepared.is_whole() ? 0 : 1);
  std::vector<std::uint8_t> detour = touched;
  for (const SwitchId s : state.alive.losers) {
    std::array<std::uint8_t, 256> lost{};
    for (std::size_t p = 1; p <= fabric.at(s).num_ports; ++p) {
      const ChannelId c = prepared.channel(s, id_at<PortNum>(p));
      lost[p] = prepared.far(c) != kNoSwitch && state.alive.channel[c] == 0 ? 1 : 0;
    }
    const auto row = prepared.reference().tables.row(s);
    for (std::size_t lid = 0; lid < row.size(); ++lid) {
      if (lost[index(row[lid])] == 0) continue;
      touched[lid] = 1;
      if (const SwitchId t = prepared.destination(lid); t != kNoSwitch && !state.reaches(s, t)) detour[lid] = 1;
    }
  }
  for (std::size_t lid = 1; lid < touched.size(); ++lid) {
    const SwitchId t = prepared.destination(lid);
    if (touched[lid] == 0 || t == kNoSwitch || !state.is_alive(t) || state.alive.lid_now[lid] == kNoLid) continue;
    found.columns.push_back(static_cast<std::uint32_t>(lid));
    found.lost_detour.push_back(detour[lid]);
  }
}

// Per switch and destination: the costs of either kind are not those of the reference.
class ChangedCosts {
 public:
  explicit ChangedCosts(const WorkingState& state) : state_(state), row_(state.prepared.fabric().num_switches()) {
    const UpDownCosts& before = state.prepared.costs();
    for (const SwitchId s : state.prepared.fabric().switches()) {
      if (!state.costs.has_changed(s) || !state.is_alive(s)) continue;
      std::vector<std::uint8_t>& row = row_[s];
      row.resize(before.stride());
      note(state.costs.cost_row(s), before.cost_row(s).data(), row);
      note(state.costs.down_row(s), before.down_row(s).data(), row);
    }
  }

  // Marks the destinations for which the costs of s or of a neighbor have changed. False: there are none.
  bool mark_around(SwitchId s, std::vector<std::uint8_t>& marks) const {
    const FatTree& tree = state_.prepared.tree();
    marks.assign(state_.prepared.costs().stride(), state_.prepared.is_whole() ? 0 : 1);
    bool any = add(s, marks) || !state_.prepared.is_whole();
    for (const auto groups : {tree.up_groups(s), tree.down_groups(s)})
      for (const PortGroup& g : groups) any = add(g.remote, marks) || any;
    return any;
  }

 private:
  static void note(const Hops* now, const Hops* before, std::vector<std::uint8_t>& row) {
    for (std::size_t i = 0; i < row.size(); i += ByteBlock::kSize)
      (ByteBlock::load(&row[i]) | (ByteBlock::load(now + i) ^ ByteBlock::load(before + i))).store(&row[i]);
  }
  bool add(SwitchId s, std::vector<std::uint8_t>& marks) const {
    const std::vector<std::uint8_t>& row = row_[s];
    for (std::size_t i = 0; i < row.size(); i += ByteBlock::kSize)
      (ByteBlock::load(&marks[i]) | ByteBlock::load(&row[i])).store(&marks[i]);
    return !row.empty();
  }

  const WorkingState& state_;
  IdVector<SwitchId, std::vector<std::uint8_t>> row_;  // not 0: has changed; empty: nothing has
};

// The columns of each destination.
SwitchColumns columns_by_destination(const WorkingState& state, const Columns& columns) {
  SwitchColumns by(state.prepared.fabric().num_switches());
  for (std::uint32_t column = 0; column < columns.size(); ++column)
    by[state.prepared.destination(columns[column])].push_back(column);
  return by;
}

// For each port of one switch: what it costs from its far end, upward and downward; null where no path goes that way.
struct FarCosts {
  std::array<const Hops*, 256> up{};
  std::array<const Hops*, 256> down{};
};

FarCosts far_costs(const WorkingState& state, SwitchId s) {
  const PreparedReference& prepared = state.prepared;
  const std::size_t num_up = prepared.tree().up_groups(s).size();
  FarCosts costs;
  for (std::size_t p = 1; p <= prepared.fabric().at(s).num_ports; ++p) {
    const ChannelId c = state.channel(s, id_at<PortNum>(p));
    if (c == kNoChannel) continue;
    if (prepared.group(c) < num_up)
      costs.up[p] = state.costs.cost_row(prepared.far(c));
    else
      costs.down[p] = state.costs.down_row(prepared.far(c));
  }
  return costs;
}

// The open entries of one row but those that were odd in the reference. Only an entry on a lost link can be open, or one
// for a destination to which the costs of the switch or of a neighbor have changed, or one that goes down and up again.
class RowScan {
 public:
  RowScan(const WorkingState& state, const OpenEntries& found)
      : state_(state),
        prepared_(state.prepared),
        columns_(found.columns),
        by_destination_(columns_by_destination(state, found.columns)),
        changed_(state),
        has_lost_(prepared_.fabric().num_switches()) {
    for (const SwitchId s : state.alive.losers) has_lost_[s] = 1;
  }

  void scan(SwitchId s, Columns& open) const {
    std::vector<std::uint8_t> marks;
    const bool any = changed_.mark_around(s, marks);
    if (has_lost_[s] == 0 && !any) return;
    const FarCosts costs = far_costs(state_, s);
    if (!prepared_.is_straight(s)) {
      for (const SwitchId t : by_destination_.ids()) look_at(s, costs, t, by_destination_[t], open);
      return;
    }
    for (std::size_t block = 0; block < marks.size(); block += ByteBlock::kSize) {
      if (!ByteBlock::load(&marks[block]).any()) continue;
      const std::size_t end = std::min(block + ByteBlock::kSize, prepared_.fabric().num_switches());
      for (std::size_t t = block; t < end; ++t)
        if (marks[t] != 0) look_at(s, costs, id_at<SwitchId>(t), by_destination_[id_at<SwitchId>(t)], open);
    }
    if (has_lost_[s] != 0) look_at_lost(s, costs, marks, open);
  }

 private:
  // Entries to t.
  void look_at(SwitchId s, const FarCosts& costs, SwitchId t, std::span<const std::uint32_t> columns,
               Columns& open) const {
    const Hops own = state_.costs.cost(s, t);
    if (t == s || own == kUnreachable) return;
    const auto& far = state_.costs.down_cost(s, t) != kUnreachable ? costs.down : costs.up;
    const PortNum* const row = prepared_.reference().tables.row(s).data();
    for (const std::uint32_t column : columns) {
      const std::size_t lid = columns_[column];
      const Hops* const from = far[index(row[lid])];
      if (from != nullptr && from[index(t)] < own) continue;
      const auto odd = prepared_.odd(lid);
      if (std::find(odd.begin(), odd.end(), s) == odd.end()) open.push_back(column);
    }
  }

  // Entries that lead nowhere, to destinations without a mark.
  void look_at_lost(SwitchId s, const FarCosts& costs, const std::vector<std::uint8_t>& marks, Columns& open) const {
    std::array<std::uint8_t, 256> lost{};
    for (std::size_t p = 0; p < lost.size(); ++p) lost[p] = costs.up[p] == nullptr && costs.down[p] == nullptr ? 1 : 0;
    const PortNum* const row = prepared_.reference().tables.row(s).data();
    for (std::uint32_t column = 0; column < columns_.size(); ++column) {
      if (lost[index(row[columns_[column]])] == 0) continue;
      const SwitchId t = prepared_.destination(columns_[column]);
      if (marks[index(t)] == 0) look_at(s, costs, t, {&column, 1}, open);
    }
  }

  const WorkingState& state_;
  const PreparedReference& prepared_;
  const Columns& columns_;
  const SwitchColumns by_destination_;
  const ChangedCosts changed_;
  IdVector<SwitchId, std::uint8_t> has_lost_;
};

// Entries that were odd stay where no entry of their column is open, for what is chosen anew may lead to them, and where
// the path behind each is as it was, and stays so: rejoin() changes no entry of who has an up-down path.
std::vector<Open> open_odd_entries(const WorkingState& state, const OpenEntries& found) {
  std::vector<Open> open;
  std::vector<ChannelId> path;
  for (std::uint32_t column = 0; column < found.columns.size(); ++column) {
    const std::size_t lid = found.columns[column];
    const SwitchId t = state.prepared.destination(lid);
    std::vector<SwitchId> odd;
    for (const SwitchId s : state.prepared.odd(lid))
      if (state.is_alive(s) && state.reaches(s, t)) odd.push_back(s);
    const auto stays = [&](SwitchId s) {
      return state.prepared.path(s, lid, path) && std::all_of(path.begin(), path.end(), [&](ChannelId c) {
               return state.is_left(c) && state.reaches(state.prepared.fabric().source(c), t);
             });
    };
    if (found.at(column).empty() && std::all_of(odd.begin(), odd.end(), stays)) continue;
    for (const SwitchId s : odd) open.emplace_back(column, s);
  }
  return open;
}

// By column; within a column the odd ones last.
void sort_into(const std::vector<SwitchId>& rows, const std::vector<Columns>& open_of, const std::vector<Open>& odd,
               OpenEntries& found) {
  const auto for_each_open = [&](auto visit) {
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (const std::uint32_t column : open_of[i]) visit(column, rows[i]);
    for (const auto& [column, s] : odd) visit(column, s);
  };
  found.first.assign(found.columns.size() + 1, 0);
  for_each_open([&](std::uint32_t column, SwitchId) { ++found.first[column + 1]; });
  for (std::size_t i = 0; i < found.columns.size(); ++i) found.first[i + 1] += found.first[i];
  found.switches.resize(found.first.back());
  std::vector<std::uint32_t> next(found.first.begin(), found.first.end() - 1);
  for_each_open([&](std::uint32_t column, SwitchId s) { found.switches[next[column]++] = s; });
}

// Within each column from the highest switch down.
void sort_by_position(const IdVector<SwitchId, std::uint32_t>& position, OpenEntries& found) {
  for (std::size_t i = 0; i < found.columns.size(); ++i)
    std::sort(found.switches.begin() + found.first[i], found.switches.begin() + found.first[i + 1],
              [&](SwitchId a, SwitchId b) { return position[a] > position[b]; });
}

}  // namespace

OpenEntries find_open_entries(const WorkingState& state) {
  OpenEntries found;
  find_touched_columns(state, found);
  found.shed.resize(found.columns.size());
  found.first.assign(found.columns.size() + 1, 0);
  if (!state.prepared.is_oriented() || found.columns.empty()) return found;
  // From the highest switch down.
  std::vector<SwitchId> rows;
  const auto ascending = state.prepared.tree().ascending();
  std::copy_if(ascending.rbegin(), ascending.rend(), std::back_inserter(rows),
               [&](SwitchId s) { return state.is_alive(s); });
  const RowScan row_scan(state, found);
  std::vector<Columns> open_of(rows.size());
  parallel_blocks(rows.size(), 4, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) row_scan.scan(rows[i], open_of[i]);
  });
  sort_into(rows, open_of, {}, found);
  if (const std::vector<Open> odd = open_odd_entries(state, found); !odd.empty()) {
    sort_into(rows, open_of, odd, found);
    sort_by_position(state.prepared.reference().position, found);
  }
  return found;
}

}  // namespace espalier
