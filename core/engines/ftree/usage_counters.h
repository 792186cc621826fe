// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// How often each link has been taken, for engines that prefer the least used.
//
// One number per port group is enough. Always the least used link of a group is taken, so after n times the next is
// link n mod #links, and it has been taken floor(n / #links) times.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/engines/ftree/link_choice.h"
#include "core/tree/fat_tree.h"

namespace espalier {

class UsageCounters {
 public:
  explicit UsageCounters(const FatTree& tree)
      : tree_(tree), key_(tree.fabric().num_channels()), order_(tree.fabric().num_channels()) {
    for (const SwitchId s : tree.fabric().switches())
      for (const std::span<const PortGroup> groups : {tree.up_groups(s), tree.down_groups(s)})
        for (std::size_t i = 0; i < groups.size(); ++i) {
          key_[groups[i].first_port] = index(groups[i].remote);
          order_[groups[0].first_port + i] = static_cast<std::uint8_t>(i);
        }
  }

  void take(const PortGroup& g) {
    std::uint64_t& key = key_[g.first_port];
    key += kLink;
    if (link(key) == g.num_ports) key += kRound - g.num_ports * kLink;
  }

  // Sorts groups by their least used link; of equally used ones each group's first link comes before any second.
  [[nodiscard]] std::uint64_t key(const PortGroup& g) const { return key_[g.first_port]; }

  // Appends all groups on one side of a switch by ascending `key_of`, each with its least used link. It sorts what it had
  // sorted the time before, so that few are not in order.
  template <class KeyOf>
  void append_sorted(std::span<const PortGroup> groups, KeyOf key_of, std::vector<LinkChoice>& out) {
    if (groups.empty()) return;
    std::uint8_t* const order = order_.data() + groups[0].first_port;
    for (std::size_t i = 1; i < groups.size(); ++i) {
      const std::uint8_t moving = order[i];
      const auto key = key_of(groups[moving]);
      std::size_t at = i;
      for (; at > 0 && key < key_of(groups[order[at - 1]]); --at) order[at] = order[at - 1];
      order[at] = moving;
    }
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const PortGroup& g = groups[order[i]];
      out.push_back({&g, tree_.ports(g)[link(key(g))]});
    }
  }

 private:
  // A key is, from the highest bits on: how often the least used link has been taken, its place in the group, the switch.
  static constexpr std::uint64_t kLink = std::uint64_t{1} << 24U;
  static constexpr std::uint64_t kRound = std::uint64_t{1} << 32U;
  static std::uint64_t link(std::uint64_t key) { return key / kLink % (kRound / kLink); }

  const FatTree& tree_;
  std::vector<std::uint64_t> key_;  // per group, at its first port
  std::vector<std::uint8_t>
      order_;  // per side of a switch, from its first port on: its groups as they were sorted last
};

}  // namespace espalier
