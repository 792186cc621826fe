// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/open_entries.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/parallel.h"

namespace espalier {
namespace {

using Open = std::pair<std::uint32_t, SwitchId>;  // column, switch

// LIDs with an entry on a lost link; of an incomplete reference all.
void find_touched_columns(const WorkingState& state, OpenEntries& found) {
  const PreparedReference& prepared = state.prepared;
  const Fabric& fabric = prepared.fabric();
  std::vector<std::uint8_t> touched(prepared.num_lids(), prepared.is_whole() ? 0 : 1);
  std::vector<std::uint8_t> detour = touched;
  for (const SwitchId s : state.alive.losers) {
    std::array<std::uint8_t, 256> lost{};
    for (std::size_t p = 1; p <= fabric.at(s).num_ports; ++p) {
      const std::size_t c = prepared.first_channel(s) + p;
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

// Switches that lost a link, or of which the costs, or those of a neighbor, have changed; from the highest down.
std::vector<SwitchId> suspects(const WorkingState& state) {
  const FatTree& tree = state.prepared.tree();
  IdVector<SwitchId, std::uint8_t> is_suspect(tree.fabric().num_switches(), state.prepared.is_whole() ? 0 : 1);
  for (const SwitchId s : state.alive.losers) is_suspect[s] = 1;
  for (const SwitchId s : tree.fabric().switches()) {
    if (!state.costs.has_changed(s)) continue;
    is_suspect[s] = 1;
    for (const auto groups : {tree.up_groups(s), tree.down_groups(s)})
      for (const PortGroup& g : groups) is_suspect[g.remote] = 1;
  }
  std::vector<SwitchId> found;
  const auto ascending = tree.ascending();
  for (auto it = ascending.rbegin(); it != ascending.rend(); ++it)
    if (is_suspect[*it] != 0 && state.is_alive(*it)) found.push_back(*it);
  return found;
}

// For each port of one switch: what it costs from its far end, upward and downward; null where that is no way.
struct Ways {
  std::array<const Hops*, 256> up{};
  std::array<const Hops*, 256> down{};
};

Ways ways_of(const WorkingState& state, SwitchId s) {
  const PreparedReference& prepared = state.prepared;
  const std::size_t num_up = prepared.tree().up_groups(s).size();
  Ways ways;
  for (std::size_t p = 1; p <= prepared.fabric().at(s).num_ports; ++p) {
    const std::size_t c = state.channel(s, id_at<PortNum>(p));
    if (c == WorkingState::kNoChannelLeft) continue;
    if (prepared.group(c) < num_up)
      ways.up[p] = state.costs.cost_row(prepared.far(c));
    else
      ways.down[p] = state.costs.down_row(prepared.far(c));
  }
  return ways;
}

// The open entries of one row but those that were odd in the reference.
void scan_row(const WorkingState& state, const std::vector<std::uint32_t>& columns, SwitchId s,
              std::vector<Open>& open) {
  const PreparedReference& prepared = state.prepared;
  const Ways ways = ways_of(state, s);
  const Hops* const cost = state.costs.cost_row(s);
  const Hops* const down = state.costs.down_row(s);
  const auto row = prepared.reference().tables.row(s);
  for (std::uint32_t column = 0; column < columns.size(); ++column) {
    const std::size_t lid = columns[column];
    const std::size_t t = index(prepared.destination(lid));
    const Hops* const far = (down[t] != kUnreachable ? ways.down : ways.up)[index(row[lid])];
    if (far != nullptr && far[t] < cost[t]) continue;
    if (t == index(s) || cost[t] == kUnreachable) continue;
    const auto odd = prepared.odd(lid);
    if (std::find(odd.begin(), odd.end(), s) != odd.end()) continue;
    open.emplace_back(column, s);
  }
}

// Entries that were odd stay when the whole way behind them is as it was.
void scan_odd_entries(const WorkingState& state, const OpenEntries& found, std::vector<Open>& open) {
  std::vector<std::uint32_t> open_in(state.prepared.fabric().num_switches(), 0xFFFFFFFF);
  std::vector<ChannelId> way;
  std::vector<Open> more;
  for (std::uint32_t column = 0; column < found.columns.size(); ++column) {
    const auto odd = state.prepared.odd(found.columns[column]);
    if (odd.empty()) continue;
    for (const SwitchId s : found.at(column)) open_in[index(s)] = column;
    for (const SwitchId s : odd) {
      if (!state.is_alive(s) || !state.reaches(s, state.prepared.destination(found.columns[column]))) continue;
      bool stays = state.prepared.path(s, found.columns[column], way);
      for (const ChannelId c : way)
        stays =
            stays && state.alive.channel[index(c)] != 0 && open_in[index(state.prepared.fabric().source(c))] != column;
      if (!stays) more.emplace_back(column, s);
    }
  }
  open.insert(open.end(), more.begin(), more.end());
}

// Sorts by column; within a column as they come, or by position where odd entries came late.
void sort_into(const WorkingState& state, const std::vector<Open>& open, OpenEntries& found) {
  found.first.assign(found.columns.size() + 1, 0);
  found.switches.resize(open.size());
  for (const auto& [column, s] : open) ++found.first[column + 1];
  for (std::size_t i = 0; i < found.columns.size(); ++i) found.first[i + 1] += found.first[i];
  std::vector<std::uint32_t> next(found.first.begin(), found.first.end() - 1);
  for (const auto& [column, s] : open) found.switches[next[column]++] = s;
  const auto& position = state.prepared.reference().position;
  const auto higher = [&](SwitchId a, SwitchId b) { return position[a] > position[b]; };
  for (std::size_t i = 0; i < found.columns.size(); ++i) {
    const auto begin = found.switches.begin() + found.first[i];
    const auto end = found.switches.begin() + found.first[i + 1];
    if (!std::is_sorted(begin, end, higher)) std::sort(begin, end, higher);
  }
}

}  // namespace

OpenEntries find_open_entries(const WorkingState& state) {
  OpenEntries found;
  find_touched_columns(state, found);
  found.shed.resize(found.columns.size());
  found.first.assign(found.columns.size() + 1, 0);
  if (!state.prepared.is_oriented() || found.columns.empty()) return found;
  const std::vector<SwitchId> rows = suspects(state);
  std::vector<std::vector<Open>> open_of(rows.size());
  parallel_blocks(rows.size(), 4, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) scan_row(state, found.columns, rows[i], open_of[i]);
  });
  std::vector<Open> open;
  for (const auto& of_row : open_of) open.insert(open.end(), of_row.begin(), of_row.end());
  sort_into(state, open, found);
  const std::size_t without_odd = open.size();
  scan_odd_entries(state, found, open);
  if (open.size() != without_odd) sort_into(state, open, found);
  return found;
}

}  // namespace espalier
