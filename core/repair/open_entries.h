// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Which entries of the reference no longer stand. An entry stays when its cable is left and leads one hop closer to the
// destination by the costs of what is left: then the path behind it is up-down and ends, whatever else is chosen. All
// others of pairs that still have an up-down path are open.
//
// A column is all entries of one LID. A fault touches the columns that have an entry on a lost cable, and no others:
// where no entry of a column is on a lost cable, all its paths are whole.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/repair/working_state.h"

namespace espalier {

// The groups of one switch that lead closer, per destination switch.
class CloserGroups {
 public:
  // Empty until mark().
  void mark(const WorkingState& state, SwitchId s);
  [[nodiscard]] bool is_marked() const { return !bits_.empty(); }
  [[nodiscard]] bool has(std::uint8_t group, SwitchId t) const {
    return (bits_[group / 8 * stride_ + index(t)] >> group % 8 & 1) != 0;
  }
  // visit(ChannelId): channels that are left of the groups that lead closer to t, in the order of groups and ports.
  template <class Visit>
  void for_each_channel(const WorkingState& state, SwitchId s, SwitchId t, Visit&& visit) const {
    const FatTree& tree = state.prepared.tree();
    const auto ups = tree.up_groups(s);
    const auto downs = tree.down_groups(s);
    for (std::size_t byte = 0; byte * stride_ < bits_.size(); ++byte)
      for (unsigned bits = bits_[byte * stride_ + index(t)]; bits != 0; bits &= bits - 1) {
        const std::size_t g = byte * 8 + static_cast<std::size_t>(__builtin_ctz(bits));
        for (const PortNum port : tree.ports(g < ups.size() ? ups[g] : downs[g - ups.size()]))
          if (const std::size_t c = state.channel(s, port); c != WorkingState::kNoChannelLeft)
            visit(id_at<ChannelId>(c));
      }
  }

 private:
  std::vector<std::uint8_t> bits_;  // bit g % 8 of byte [g / 8][t]
  std::size_t stride_ = 1;
};

struct OpenEntries {
  std::vector<std::uint32_t> columns;  // LIDs that a fault touches, ascending
  // Per column: the switches whose entry is open, from the highest to the lowest.
  std::vector<std::uint32_t> first;  // into switches; one more than columns
  std::vector<SwitchId> switches;
  std::vector<std::uint8_t> lost_detour;  // per column: an entry on a lost cable of a pair without an up-down path
  // Per column: leaves that left a whole entry, by their places (filled by PathChooser).
  std::vector<std::vector<std::uint32_t>> shed;
  IdVector<SwitchId, CloserGroups> closer;  // of switches that may have open entries

  [[nodiscard]] std::span<const SwitchId> at(std::size_t column) const {
    return {switches.data() + first[column], first[column + 1] - first[column]};
  }
};

[[nodiscard]] OpenEntries find_open_entries(const WorkingState& state);

}  // namespace espalier
