// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Dense numbers for the channels between the switches of a tree: compressed sparse rows (CSR), one row per switch, its
// channels upward first. Unlike ChannelId of a fabric they leave out ports to hosts, so that an array per channel has
// no holes, and a switch can name one of its channels by a byte.
#pragma once

#include <cstdint>
#include <vector>

#include "core/tree/fat_tree.h"

namespace espalier {

// Switch by switch, in the order of its up-groups, then down-groups; parallel channels follow each other.
enum class TreeChannelId : std::uint32_t {};

// Where a switch names one of its channels by a byte: none.
inline constexpr std::uint8_t kNoHop = 0xFF;

class TreeChannels {
 public:
  explicit TreeChannels(const FatTree& tree);

  [[nodiscard]] std::size_t size() const { return remote_.size(); }
  [[nodiscard]] TreeChannelId first(SwitchId s) const { return id_at<TreeChannelId>(first_[index(s)]); }
  // The channel that leaves s by this number, counted from 0 in the row of s.
  [[nodiscard]] TreeChannelId at(SwitchId s, std::size_t number) const {
    return id_at<TreeChannelId>(first_[index(s)] + number);
  }
  // Its inverse. REQUIRES: c leaves s.
  [[nodiscard]] std::uint8_t number(SwitchId s, TreeChannelId c) const {
    return static_cast<std::uint8_t>(index(c) - first_[index(s)]);
  }
  // By the port; kNoHop where that leads to no switch.
  [[nodiscard]] std::uint8_t number(SwitchId s, PortNum port) const;
  // How many lead upward: those numbered 0 .. num_up-1.
  [[nodiscard]] std::size_t num_up(SwitchId s) const { return num_up_[s]; }
  // The switch to which the channel leads, and the port by which it leaves.
  [[nodiscard]] SwitchId remote(TreeChannelId c) const { return remote_[c]; }
  [[nodiscard]] PortNum port(TreeChannelId c) const { return port_[c]; }

 private:
  std::vector<std::uint32_t> first_;
  IdVector<SwitchId, std::uint32_t> num_up_;
  IdVector<TreeChannelId, SwitchId> remote_;
  IdVector<TreeChannelId, PortNum> port_;
};

}  // namespace espalier
