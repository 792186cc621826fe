// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Which channel dependencies each lane allows, so that no lane's close a cycle: then packets that stay on one lane and
// make only steps that it allows never wait in a cycle (Dally and Seitz 1987).
//
// Lanes are filled one after the other. A lane takes the dependencies that ascend in an order of channels that is made for
// what routes without a lane need (channel_ranking.h), then each other, most wanted first, unless it would close a cycle
// with those it has: so no lane could take one more. DFSSSP (Domke, Hoefler and Nagel, IPDPS 2011) goes the other way,
// breaks cycles at the dependencies with the fewest routes, and moves those on.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/base/large_array.h"
#include "core/engines/layers/switch_graph.h"

namespace espalier {

using LaneMask = std::uint16_t;  // bit v: lane v

class LaneSets {
 public:
  // REQUIRES: `graph` outlives it.
  explicit LaneSets(const SwitchGraph& graph);

  // One lane that allows every step, and closes loops: for trees that are to get lanes later.
  [[nodiscard]] static LaneSets unrestricted(const SwitchGraph& graph);

  // The lanes on which packets may go from channel `in` on to `out`. REQUIRES: `out` leaves the switch at the end of
  // in.
  [[nodiscard]] LaneMask allowed(ChannelId in, ChannelId out) const { return allowed_[dependency(in, out)]; }
  [[nodiscard]] unsigned num_lanes() const { return num_lanes_; }
  // How many steps each of them allows.
  [[nodiscard]] std::vector<std::size_t> sizes() const;

  // A step of `routes` that wants a lane.
  void want(ChannelId in, ChannelId out, std::uint32_t routes) { wanted_[dependency(in, out)] += routes; }
  // A step that the next lane has to allow.
  void require(ChannelId in, ChannelId out) { required_[dependency(in, out)] = 1; }
  // A lane more, which allows what is required, then along `numbers`, where they are given, what ascends, and then of
  // what is wanted as much as goes. Forgets what was required and wanted. REQUIRES: the steps that are required close no cycle.
  void add_lane(const std::vector<std::uint32_t>* numbers);
  // A lane more, the same as one of `other`. REQUIRES: `other` is on the same graph.
  void add_lane_of(const LaneSets& other, unsigned lane);
  // The lane on which multicast goes has room for it beside unicast.
  void leave_to_multicast(unsigned lane) { for_multicast_ = lane; }
  [[nodiscard]] std::optional<unsigned> for_multicast() const { return for_multicast_; }
  // More lanes, `most` in all, which allow the same as those that there are, in turn: not for loops, but lest packets
  // that wait for one channel keep others waiting.
  void repeat(unsigned most);

 private:
  [[nodiscard]] std::vector<std::uint32_t> ranked(std::span<const std::uint32_t> dependencies) const;
  [[nodiscard]] std::size_t dependency(ChannelId in, ChannelId out) const {
    return std::size_t{first_[index(in)]} + port_[index(out)];
  }

  const SwitchGraph* graph_;
  LargeVector<std::uint32_t> first_;                    // per channel: its dependencies, by the port that follows
  LargeVector<std::uint8_t> port_;                      // per channel: by which it leaves its switch
  LargeVector<std::pair<ChannelId, ChannelId>> steps_;  // per dependency: in, out
  LargeVector<LaneMask> allowed_;                       // per dependency
  LargeVector<std::uint32_t> wanted_;                   // per dependency
  LargeVector<std::uint8_t> required_;                  // per dependency
  unsigned num_lanes_ = 0;
  std::optional<unsigned> for_multicast_;
};

}  // namespace espalier
