// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What the steps of one repair share. Switches, channels and LIDs are those of the reference throughout.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/base/large_array.h"
#include "core/repair/memory/patched_tables.h"
#include "core/repair/reference/prepared_reference.h"
#include "core/repair/survivors/survivor_costs.h"
#include "core/repair/survivors/survivors.h"

namespace espalier {

struct WorkingState {
  // REQUIRES: all outlive this; `patched` are the reference's rows of living switches, in their present order.
  WorkingState(const PreparedReference& reference, const Survivors& survivors, const SurvivorCosts& survivor_costs,
               PatchedTables& patched)
      : prepared(reference),
        alive(survivors),
        costs(survivor_costs),
        tables(patched),
        limits_(&reference.limits()),
        rows_(reference.fabric().num_switches()),
        far_left_(reference.fabric().num_channels()) {
    for (const SwitchId s : reference.fabric().switches()) {
      const IdRange<ChannelId> channels = reference.channels(s);
      const PortNum* const row = reference.reference().tables.row(s).data();
      rows_[index(s)] = {row, nullptr, row, static_cast<std::uint32_t>(index(*channels.begin())),
                         static_cast<std::uint32_t>(channels.size())};
      if (is_alive(s)) find_row(s);
    }
    for (const ChannelId c : alive.channel.ids())
      far_left_[index(c)] = alive.channel[c] != 0 ? reference.far(c) : kNoSwitch;
    if (alive.slower.empty()) return;
    lowered_ = *limits_;
    for (const auto& [c, share] : alive.slower) lowered_[c] = reference.limit_of_slower(c, share);
    limits_ = &lowered_;
  }
  WorkingState(const WorkingState&) = delete;
  WorkingState& operator=(const WorkingState&) = delete;

  const PreparedReference& prepared;
  const Survivors& alive;
  const SurvivorCosts& costs;
  PatchedTables& tables;  // under repair

  [[nodiscard]] PortNum entry(SwitchId s, std::size_t lid) const { return *entry_at(s, lid); }
  // Where it lies.
  [[nodiscard]] const PortNum* entry_at(SwitchId s, std::size_t lid) const {
    const Row& row = rows_[index(s)];
    return row.entries != nullptr ? row.entries + lid : row.blocks[lid / kLidsPerBlock] + lid % kLidsPerBlock;
  }
  void set(SwitchId s, std::size_t lid, PortNum port) {
    if (tables.set(alive.now[s], id_at<Lid>(lid), port)) find_row(s);
  }
  // Whether the block of this entry has to be written: something in it is not as in the reference.
  [[nodiscard]] bool is_written(SwitchId s, std::size_t lid) const {
    const std::size_t first = lid / kLidsPerBlock * kLidsPerBlock;
    const PortNum* const now = entry_at(s, first);
    const PortNum* const before = rows_[index(s)].reference + first;
    return now != before && !std::equal(now, now + std::min(kLidsPerBlock, prepared.num_lids() - first), before);
  }
  [[nodiscard]] PortNum reference_entry(SwitchId s, std::size_t lid) const { return rows_[index(s)].reference[lid]; }
  // Has it on its way.
  void prefetch_reference_entry(SwitchId s, std::size_t lid) const {
    __builtin_prefetch(rows_[index(s)].reference + lid);
  }
  // That of the reference's entry, whether its link is left or not.
  [[nodiscard]] ChannelId old_channel(SwitchId s, std::size_t lid) const {
    return prepared.channel(s, reference_entry(s, lid));
  }
  [[nodiscard]] bool is_alive(SwitchId s) const { return alive.now[s] != kNoSwitch; }
  // The channel of this port if its link is left, else kNoChannel.
  [[nodiscard]] ChannelId channel(SwitchId s, PortNum port) const {
    const Row& row = rows_[index(s)];
    if (index(port) >= row.num_channels) return kNoChannel;
    const ChannelId c = id_at<ChannelId>(row.first_channel + index(port));
    return is_left(c) ? c : kNoChannel;
  }
  // The channel that packets for this LID leave s by.
  [[nodiscard]] ChannelId channel_of(SwitchId s, std::size_t lid) const { return channel(s, entry(s, lid)); }
  // Appends the channels from s on to the switch of this LID. False: they do not lead there; none is appended then.
  bool append_path(SwitchId s, std::size_t lid, std::vector<ChannelId>& channels) const {
    const SwitchId t = prepared.destination(lid);
    const std::size_t begin = channels.size();
    while (s != t) {
      const ChannelId c = channels.size() - begin < kMostHops ? channel_of(s, lid) : kNoChannel;
      if (c == kNoChannel) {
        channels.resize(begin);
        return false;
      }
      channels.push_back(c);
      s = far_left(c);
    }
    return true;
  }
  // The same in place of what was there.
  bool find_path(SwitchId s, std::size_t lid, std::vector<ChannelId>& channels) const {
    channels.clear();
    return append_path(s, lid, channels);
  }
  // The same from this channel on, as long as good(channel). False: one is not, or they do not lead there.
  template <class Good>
  bool find_path_while(ChannelId first, std::size_t lid, std::vector<ChannelId>& channels, Good good) const {
    const SwitchId t = prepared.destination(lid);
    channels.clear();
    for (ChannelId c = first; c != kNoChannel && channels.size() < kMostHops;) {
      if (!good(c)) return false;
      channels.push_back(c);
      const SwitchId s = far_left(c);
      if (s == t) return true;
      c = channel_of(s, lid);
    }
    return false;
  }
  [[nodiscard]] bool is_left(ChannelId c) const { return far_left(c) != kNoSwitch; }
  // The switch at its far end; kNoSwitch: none, or it is lost.
  [[nodiscard]] SwitchId far_left(ChannelId c) const { return far_left_[index(c)]; }
  // That of the reference, of which a link that has become slower has its share.
  [[nodiscard]] std::uint8_t limit(ChannelId c) const { return (*limits_)[c]; }
  // Whether an up-down path is left from s to t. Never, between two switches, where the tables follow no orientation.
  [[nodiscard]] bool reaches(SwitchId s, SwitchId t) const {
    return s == t || (prepared.is_oriented() && costs.cost(s, t) != kUnreachable);
  }

 private:
  struct Row {               // of a switch
    const PortNum* entries;  // of the tables under repair; null: they are not in one piece
    const PortNum* const* blocks;
    const PortNum* reference;
    std::uint32_t first_channel, num_channels;
  };

  void find_row(SwitchId s) {
    const TableRow& row = tables.rows().row(alive.now[s]);
    rows_[index(s)].entries = row.is_in_one_piece() ? row.shared() : nullptr;
    rows_[index(s)].blocks = tables.blocks(alive.now[s]);
  }

  IdVector<ChannelId, std::uint8_t> lowered_;        // empty: no link is slower
  const IdVector<ChannelId, std::uint8_t>* limits_;  // these, or those of the reference
  LargeArray<Row> rows_;                             // per switch
  LargeArray<SwitchId> far_left_;                    // per channel
};

}  // namespace espalier
