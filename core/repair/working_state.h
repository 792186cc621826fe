// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What the steps of one repair share. Switches, channels and LIDs are those of the reference throughout.
#pragma once

#include <cstdint>
#include <vector>

#include "core/repair/patched_tables.h"
#include "core/repair/prepared_reference.h"
#include "core/repair/survivor_costs.h"
#include "core/repair/survivors.h"

namespace espalier {

struct WorkingState {
  // REQUIRES: all outlive this; `patched` are the reference's rows of living switches, in their present order.
  WorkingState(const PreparedReference& reference, const Survivors& survivors, const SurvivorCosts& survivor_costs,
               PatchedTables& patched)
      : prepared(reference),
        alive(survivors),
        costs(survivor_costs),
        tables(patched),
        far_left_(reference.fabric().num_channels(), kNoSwitch) {
    for (const SwitchId s : reference.fabric().switches()) {
      rows_.push_back(is_alive(s) ? in_one_piece(alive.now[s]) : nullptr);
      reference_rows_.push_back(reference.reference().tables.row(s).data());
    }
    for (const ChannelId c : far_left_.ids())
      if (alive.channel[c] != 0) far_left_[c] = reference.far(c);
  }

  const PreparedReference& prepared;
  const Survivors& alive;
  const SurvivorCosts& costs;
  PatchedTables& tables;  // under repair

  [[nodiscard]] PortNum entry(SwitchId s, std::size_t lid) const {
    const PortNum* const row = rows_[index(s)];
    return row != nullptr ? row[lid] : tables.rows().row(alive.now[s])[lid];
  }
  void set(SwitchId s, std::size_t lid, PortNum port) {
    tables.set(alive.now[s], id_at<Lid>(lid), port);
    rows_[index(s)] = in_one_piece(alive.now[s]);
  }
  [[nodiscard]] PortNum reference_entry(SwitchId s, std::size_t lid) const { return reference_rows_[index(s)][lid]; }
  [[nodiscard]] bool is_alive(SwitchId s) const { return alive.now[s] != kNoSwitch; }
  // The channel of this port if its link is left, else kNoChannel.
  [[nodiscard]] ChannelId channel(SwitchId s, PortNum port) const {
    const ChannelId c = prepared.channel(s, port);
    return c != kNoChannel && is_left(c) ? c : kNoChannel;
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
      s = prepared.far(c);
    }
    return true;
  }
  // The same in place of what was there.
  bool find_path(SwitchId s, std::size_t lid, std::vector<ChannelId>& channels) const {
    channels.clear();
    return append_path(s, lid, channels);
  }
  [[nodiscard]] bool is_left(ChannelId c) const { return far_left_[c] != kNoSwitch; }
  // Whether an up-down path is left from s to t. Never, between two switches, where the tables follow no orientation.
  [[nodiscard]] bool reaches(SwitchId s, SwitchId t) const {
    return s == t || (prepared.is_oriented() && costs.cost(s, t) != kUnreachable);
  }

 private:
  [[nodiscard]] const PortNum* in_one_piece(SwitchId now) const {
    const TableRow& row = tables.rows().row(now);
    return row.is_in_one_piece() ? row.shared() : nullptr;
  }

  std::vector<const PortNum*> rows_;            // per switch: of the tables under repair; null: it is not in one piece
  std::vector<const PortNum*> reference_rows_;  // per switch
  IdVector<ChannelId, SwitchId> far_left_;      // the switch at its far end; kNoSwitch: none, or it is lost
};

}  // namespace espalier
