// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/broken/open_entries.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <utility>

#include "core/base/byte_block.h"
#include "core/base/parallel.h"
#include "core/repair/broken/lids_by_port.h"
#include "core/repair/broken/slower_entries.h"
#include "core/repair/memory/arena.h"

namespace espalier {
namespace {

using Columns = std::vector<std::uint32_t>;
using Open = std::pair<std::uint32_t, SwitchId>;  // column, switch

// The open entries of one switch.
struct OpenRow {
  struct Entry {
    std::uint32_t column;
    std::uint32_t closer;  // where in the lists
  };
  std::span<const Entry> entries;
  std::vector<Entry> more;  // behind these
  PlaceLists places;

  template <class Visit>
  void for_each(Visit visit) const {
    for (const Entry& entry : entries) visit(entry);
    for (const Entry& entry : more) visit(entry);
  }
};

// LIDs with an entry on a lost link, or on one that is slower; of an incomplete reference all.
void find_touched_columns(const WorkingState& state, OpenEntries& found) {
  const PreparedReference& prepared = state.prepared;
  std::vector<std::uint8_t> touched(prepared.num_lids(), prepared.is_whole() ? 0 : 1);
  std::vector<std::uint8_t> detour = touched;
  LargeVector<std::pair<std::uint32_t, SwitchId>> lost_detours;
  for (const SwitchId s : state.alive.losers)
    for (const ChannelId c : prepared.channels(s)) {
      if (prepared.far(c) == kNoSwitch || state.alive.channel[c] != 0) continue;
      for_each_lid_by(prepared.reference().tables.row(s), prepared.fabric().port(c), [&](std::size_t lid) {
        touched[lid] = 1;
        const SwitchId t = prepared.destination(lid);
        if (t == kNoSwitch || state.reaches(s, t)) return;
        detour[lid] = 1;
        lost_detours.emplace_back(static_cast<std::uint32_t>(lid), s);
      });
    }
  for (const auto& [c, share] : state.alive.slower) {
    const SwitchId s = prepared.fabric().source(c);
    if (prepared.is_oriented())
      for_each_lid_by(prepared.reference().tables.row(s), prepared.fabric().port(c),
                      [&](std::size_t lid) { touched[lid] = 1; });
  }
  found.lost_detours = SwitchLists(prepared.num_lids(), [&](const auto& add) {
    for (const auto& [lid, s] : lost_detours) add(lid, s);
  });
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
      std::uint8_t* const row = rows_.take(before.stride());
      note(state.costs.cost_row(s), before.cost_row(s).data(), state.costs.down_row(s), before.down_row(s).data(), row);
      row_[s] = row;
    }
  }

  // Marks the destinations for which the costs of s or of a neighbor have changed. False: there are none.
  bool mark_around(SwitchId s, std::vector<std::uint8_t>& marks) const {
    const FatTree& tree = state_.prepared.tree();
    marks.assign(stride(), state_.prepared.is_whole() ? 0 : 1);
    bool any = add(s, marks) || !state_.prepared.is_whole();
    for (const auto groups : {tree.up_groups(s), tree.down_groups(s)})
      for (const PortGroup& g : groups) any = add(g.remote, marks) || any;
    return any;
  }

 private:
  void note(const Hops* cost, const Hops* cost_before, const Hops* down, const Hops* down_before,
            std::uint8_t* row) const {
    for (std::size_t i = 0; i < stride(); i += ByteBlock::kSize)
      ((ByteBlock::load(cost + i) ^ ByteBlock::load(cost_before + i)) |
       (ByteBlock::load(down + i) ^ ByteBlock::load(down_before + i)))
          .store(row + i);
  }
  bool add(SwitchId s, std::vector<std::uint8_t>& marks) const {
    const std::uint8_t* const row = row_[s];
    if (row == nullptr) return false;
    for (std::size_t i = 0; i < marks.size(); i += ByteBlock::kSize)
      (ByteBlock::load(&marks[i]) | ByteBlock::load(row + i)).store(&marks[i]);
    return true;
  }
  [[nodiscard]] std::size_t stride() const { return state_.prepared.costs().stride(); }

  const WorkingState& state_;
  Arena<std::uint8_t> rows_;
  IdVector<SwitchId, const std::uint8_t*> row_;  // not 0: has changed; null: nothing has
};

struct Column {
  std::uint32_t number, lid;
};

FlatLists<Column> columns_by_destination(const WorkingState& state, const Columns& columns) {
  return FlatLists<Column>(state.prepared.fabric().num_switches(), [&](const auto& add) {
    for (std::uint32_t i = 0; i < columns.size(); ++i)
      add(index(state.prepared.destination(columns[i])), Column{i, columns[i]});
  });
}

// The ports of a switch that lead up, or those that lead down, whose links are left.
struct Ports {
  struct Port {
    PortNum number;
    std::uint8_t place;  // among the channels in order
    const Hops* cost;    // from its far end on
  };
  std::vector<Port> list;
  std::array<const Hops*, 256> cost{};        // of each; null: none of these
  std::array<std::uint8_t, 256> is_closer{};  // to the destination at hand

  void add(PortNum number, std::size_t place, const Hops* far) {
    list.push_back({number, static_cast<std::uint8_t>(place), far});
    cost[index(number)] = far;
  }
  // For all of them in turn: where many LIDs have this destination, that takes less than to ask for each.
  void compare(SwitchId t, Hops own) {
    for (const Port& port : list) is_closer[index(port.number)] = port.cost[index(t)] < own ? 1 : 0;
  }
  // The list of those that are closer.
  std::uint32_t add_to(PlaceLists& lists, PlaceLists::Known& known, SwitchId t, Hops own) {
    std::array<std::uint8_t, 256> places;
    std::size_t size = 0;
    for (const Port& port : list) {
      places[size] = port.place;
      size += port.cost[index(t)] < own ? 1 : 0;
    }
    return lists.add({places.data(), size}, known);
  }
};

struct BothPorts {
  BothPorts(const WorkingState& state, SwitchId s) {
    const PreparedReference& prepared = state.prepared;
    const std::size_t num_up = prepared.tree().up_groups(s).size();
    const std::span<const ChannelId> channels = prepared.channels_in_order(s);
    for (std::size_t place = 0; place < channels.size(); ++place) {
      const ChannelId c = channels[place];
      if (!state.is_left(c)) continue;
      const PortNum port = prepared.fabric().port(c);
      if (prepared.group(c) < num_up)
        up.add(port, place, state.costs.cost_row(prepared.far(c)));
      else
        down.add(port, place, state.costs.down_row(prepared.far(c)));
    }
  }
  Ports up, down;
};

// The open entries of one row but those that were odd in the reference. Only an entry on a lost link can be open, or one
// for a destination to which the costs of the switch or of a neighbor have changed, or one that goes down and up again.
class RowScan {
 public:
  RowScan(const WorkingState& state, const OpenEntries& found)
      : state_(state),
        prepared_(state.prepared),
        column_of_(prepared_.num_lids(), kUnknown),
        by_destination_(columns_by_destination(state, found.columns)),
        changed_(state),
        has_lost_(prepared_.fabric().num_switches()) {
    for (const SwitchId s : state.alive.losers) has_lost_[s] = 1;
    for (std::uint32_t i = 0; i < found.columns.size(); ++i) column_of_[found.columns[i]] = i;
  }

  // Those of these switches, one row behind the other, in an array that they share.
  [[nodiscard]] LargeVector<OpenRow::Entry> scan(std::span<const SwitchId> switches, std::span<OpenRow> rows) const {
    LargeVector<OpenRow::Entry> entries;
    std::vector<std::size_t> first;
    std::vector<std::uint8_t> marks;
    for (std::size_t i = 0; i < switches.size(); ++i) {
      first.push_back(entries.size());
      PlaceLists::Known known{};
      scan(switches[i], marks, {entries, rows[i].places, known});
    }
    first.push_back(entries.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
      rows[i].entries = std::span(entries).subspan(first[i], first[i + 1] - first[i]);
    return entries;
  }

 private:
  static constexpr std::size_t kFew = 4;  // columns
  static constexpr std::uint32_t kUnknown = UINT32_MAX;
  struct Found {  // in one row
    LargeVector<OpenRow::Entry>& entries;
    PlaceLists& places;
    PlaceLists::Known& known;
  };

  void scan(SwitchId s, std::vector<std::uint8_t>& marks, Found open) const {
    const bool any = changed_.mark_around(s, marks);
    if (has_lost_[s] == 0 && !any) return;
    BothPorts ports(state_, s);
    if (!prepared_.is_straight(s)) {
      for (const SwitchId t : prepared_.fabric().switches()) look_at(s, ports, t, by_destination_.at(index(t)), open);
      return;
    }
    for (std::size_t block = 0; block < marks.size(); block += ByteBlock::kSize) {
      ByteBlock::load(&marks[block]).for_each_set([&](std::size_t i) {
        if (const std::size_t t = block + i; t < prepared_.fabric().num_switches())
          look_at(s, ports, id_at<SwitchId>(t), by_destination_.at(t), open);
      });
    }
    if (has_lost_[s] != 0) look_at_lost(s, ports, marks, open);
  }

  // Entries to t.
  void look_at(SwitchId s, BothPorts& both, SwitchId t, std::span<const Column> columns, Found open) const {
    const Hops own = state_.costs.cost(s, t);
    if (t == s || own == kUnreachable) return;
    Ports& ports = state_.costs.down_cost(s, t) != kUnreachable ? both.down : both.up;
    const PortNum* const row = prepared_.reference().tables.row(s).data();
    std::uint32_t closer = kUnknown;
    const auto add_if = [&](const Column& column, bool is_closer) {
      if (is_closer) return;
      const auto odd = prepared_.odd(column.lid);
      if (std::find(odd.begin(), odd.end(), s) != odd.end()) return;
      if (closer == kUnknown) closer = ports.add_to(open.places, open.known, t, own);
      open.entries.push_back({column.number, closer});
    };
    if (columns.size() < kFew) {
      for (const Column& column : columns) {
        const Hops* const from = ports.cost[index(row[column.lid])];
        add_if(column, from != nullptr && from[index(t)] < own);
      }
      return;
    }
    ports.compare(t, own);
    for (const Column& column : columns) add_if(column, ports.is_closer[index(row[column.lid])] != 0);
  }

  // Entries on lost links, to destinations without a mark.
  void look_at_lost(SwitchId s, BothPorts& both, const std::vector<std::uint8_t>& marks, Found open) const {
    for (const ChannelId c : prepared_.channels(s)) {
      if (prepared_.far(c) == kNoSwitch || state_.is_left(c)) continue;
      for_each_lid_by(prepared_.reference().tables.row(s), prepared_.fabric().port(c), [&](std::size_t lid) {
        const Column only{column_of_[lid], static_cast<std::uint32_t>(lid)};
        if (only.number == kUnknown) return;
        if (const SwitchId t = prepared_.destination(lid); marks[index(t)] == 0) look_at(s, both, t, {&only, 1}, open);
      });
    }
  }

  const WorkingState& state_;
  const PreparedReference& prepared_;
  std::vector<std::uint32_t> column_of_;  // per LID; kUnknown: none
  const FlatLists<Column> by_destination_;
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
void sort_into(const std::vector<SwitchId>& rows, const std::vector<OpenRow>& open_of, OpenEntries& found) {
  found.first.assign(found.columns.size() + 1, 0);
  for (const OpenRow& row : open_of)
    row.for_each([&](const OpenRow::Entry& entry) { ++found.first[entry.column + 1]; });
  for (std::size_t i = 0; i < found.columns.size(); ++i) found.first[i + 1] += found.first[i];
  found.switches.resize(found.first.back());
  found.closer.resize(found.first.back());
  std::vector<std::uint32_t> next(found.first.begin(), found.first.end() - 1);
  for (std::size_t i = 0; i < rows.size(); ++i)
    open_of[i].for_each([&](const OpenRow::Entry& entry) {
      const std::uint32_t at = next[entry.column]++;
      found.switches[at] = rows[i];
      found.closer[at] = entry.closer;
    });
}

// More entries, whose ports are left and may lead closer.
void add_more(const WorkingState& state, const Columns& columns, const std::vector<SwitchId>& rows,
              const std::vector<Open>& more, std::vector<OpenRow>& open_of) {
  IdVector<SwitchId, std::size_t> row_of(state.prepared.fabric().num_switches());
  for (std::size_t i = 0; i < rows.size(); ++i) row_of[rows[i]] = i;
  std::vector<std::uint8_t> places;
  for (const auto& [column, s] : more) {
    OpenRow& row = open_of[row_of[s]];
    find_closer(state, s, state.prepared.destination(columns[column]), places);
    PlaceLists::Known none{};
    row.more.push_back({column, row.places.add(places, none)});
  }
}

// Those that are left, from the highest down. Those at the bottom come last, by their place among leaves, so that those of a
// pod are together, whatever their GUIDs: they look at the same entries of others, and at shifts that lie beside each other.
std::vector<SwitchId> from_the_top(const WorkingState& state) {
  const PreparedReference& prepared = state.prepared;
  std::vector<SwitchId> switches;
  const auto ascending = prepared.tree().ascending();
  std::copy_if(ascending.rbegin(), ascending.rend(), std::back_inserter(switches),
               [&](SwitchId s) { return state.is_alive(s); });
  const auto bottom =
      std::stable_partition(switches.begin(), switches.end(), [&](SwitchId s) { return !prepared.is_bottom(s); });
  std::stable_sort(bottom, switches.end(), [&](SwitchId a, SwitchId b) { return prepared.leaf(a) > prepared.leaf(b); });
  return switches;
}

}  // namespace

void find_closer(const WorkingState& state, SwitchId s, SwitchId t, std::vector<std::uint8_t>& places) {
  const PreparedReference& prepared = state.prepared;
  const Hops own = state.costs.cost(s, t);
  const bool down = state.costs.down_cost(s, t) != kUnreachable;
  const std::size_t num_up = prepared.tree().up_groups(s).size();
  const std::span<const ChannelId> channels = prepared.channels_in_order(s);
  places.clear();
  for (std::size_t place = 0; place < channels.size(); ++place) {
    const SwitchId far = state.far_left(channels[place]);
    if (far == kNoSwitch || (prepared.group(channels[place]) >= num_up) != down) continue;
    if ((down ? state.costs.down_cost(far, t) : state.costs.cost(far, t)) < own)
      places.push_back(static_cast<std::uint8_t>(place));
  }
}

OpenEntries find_open_entries(const WorkingState& state) {
  OpenEntries found;
  find_touched_columns(state, found);
  found.shed = FlatLists<std::uint32_t>(found.columns.size(), [](const auto&) {});
  found.first.assign(found.columns.size() + 1, 0);
  if (!state.prepared.is_oriented() || found.columns.empty()) return found;
  const std::vector<SwitchId> rows = from_the_top(state);
  const RowScan row_scan(state, found);
  std::vector<OpenRow> open_of(rows.size());
  // Of rows that one thread scans together, at the first of them.
  std::vector<LargeVector<OpenRow::Entry>> entries(rows.size());
  parallel_blocks(rows.size(), 4, [&](std::size_t begin, std::size_t end) {
    entries[begin] = row_scan.scan({&rows[begin], end - begin}, {&open_of[begin], end - begin});
  });
  sort_into(rows, open_of, found);
  const auto add = [&](const std::vector<Open>& more) {
    if (more.empty()) return;
    add_more(state, found.columns, rows, more, open_of);
    sort_into(rows, open_of, found);
  };
  if (!state.alive.slower.empty()) add(find_slower_entries(state, found));
  add(open_odd_entries(state, found));
  found.places = IdVector<SwitchId, PlaceLists>(state.prepared.fabric().num_switches());
  for (std::size_t i = 0; i < rows.size(); ++i) found.places[rows[i]] = std::move(open_of[i].places);
  return found;
}

}  // namespace espalier
