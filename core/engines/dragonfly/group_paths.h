// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Shortest paths inside the groups of a dragonfly: by which ports a router comes nearer to another router of its group,
// or to an exit to another group. In a whole group that is one local hop; where links are missing, or in a grid, more,
// and then paths are preferred whose turns the rule of the group allows on one lane (Dragonfly::local_turn_allowed), unless
// the caller has lanes for others (LocalTurns).
// Who deals paths over the ports one after the other gives each as many as it carries: where ports differ in that, or in what
// is behind them, faster ones are listed several times.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/dragonfly/dragonfly.h"
#include "core/fabric/capacities.h"

namespace espalier {

// What paths of two local hops may do where a router is joined to most others of its group, so that two hops are around a
// lost link.
enum class LocalTurns : std::uint8_t {
  kAllowed,  // turns that one lane allows, where there are any
  kAny,      // go over all routers between, which share what the link carried; some turns then need lanes of their own
};

class GroupPaths {
 public:
  // REQUIRES: `dragonfly` outlives it. O(groups^2 x routers x local ports).
  explicit GroupPaths(const Dragonfly& dragonfly, LocalTurns turns = LocalTurns::kAllowed);

  // Ports of `s` on a path to group `to`: its own exits, or else local ports on shortest paths to routers with exits.
  // Empty: the group has none. Always nearer: who follows any of these ports at each router gets out.
  [[nodiscard]] std::span<const PortNum> toward(SwitchId s, std::size_t to) const { return toward_[s].at(to); }
  // Local ports of `s` on shortest paths to another router of its group, by its place there.
  [[nodiscard]] std::span<const PortNum> within(SwitchId s, std::size_t router) const { return within_[s].at(router); }

  // Global hops from group to group; kFar: not connected.
  static constexpr std::uint32_t kFar = 0xFFFFFFFF;
  [[nodiscard]] std::uint32_t group_hops(std::size_t from, std::size_t to) const {
    return group_hops_[from * num_groups_ + to];
  }
  // The groups next to `from` on shortest paths to `to`. Empty if from == to or not connected.
  [[nodiscard]] std::vector<std::uint32_t> next_groups(std::size_t from, std::size_t to) const;

 private:
  struct Row {
    std::vector<std::uint32_t> first{0};
    std::vector<PortNum> ports;
    void close() { first.push_back(static_cast<std::uint32_t>(ports.size())); }
    [[nodiscard]] std::span<const PortNum> at(std::size_t i) const {
      return {ports.data() + first[i], first[i + 1] - first[i]};
    }
  };
  [[nodiscard]] bool is_joined_to_most(SwitchId s) const;
  void find_group_hops();
  // Of each router of the group to the nearest of `queue`, which then has all that reach one, nearer ones first.
  [[nodiscard]] std::vector<std::uint32_t> local_hops(std::size_t group, std::vector<SwitchId>& queue) const;
  void find_paths_within(std::size_t group);
  void find_paths_toward_others(std::size_t group);
  // The ports of `s` to neighbors that are nearer, by distance[router]; of 0 at the goals.
  void add_nearer(SwitchId s, const std::vector<std::uint32_t>& distance, Row& row) const;
  // Lists the ports of `s` from place `begin` on as often as they should be used; what they carry in all, where that of
  // other routers of the group is width[router].
  float spread(SwitchId s, const std::vector<float>& width, std::size_t begin, std::vector<PortNum>& ports) const;

  const Dragonfly& dragonfly_;
  Capacities capacities_;
  std::size_t num_groups_;
  std::vector<std::uint32_t> group_hops_;
  IdVector<SwitchId, Row> toward_;
  IdVector<SwitchId, Row> within_;
  IdVector<SwitchId, std::vector<PortNum>> local_;   // ports to the own group
  IdVector<SwitchId, std::uint8_t> takes_any_turn_;  // on paths of two local hops
};

}  // namespace espalier
