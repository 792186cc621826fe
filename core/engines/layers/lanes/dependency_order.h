// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// An order of channels that is kept while dependencies between them are added, so that none closes a cycle: Pearce and
// Kelly's dynamic topological sort, as in detours/channel_order.h. That one can also take back, and starts from a tree;
// this one is for many dependencies, each tried once: what follows a channel, or goes before it, leaves or enters one
// switch, so that it is a set of ports, and a search takes all of a set at once. With core/base/ordered_graph in its place
// the engine executes up to a sixth more instructions (docs/measured/layers.md).
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/engines/layers/switch_graph.h"

namespace espalier {

class DependencyOrder {
 public:
  // `number` says which order channels have at the start: per channel of the fabric, all distinct, below number.size().
  DependencyOrder(const SwitchGraph& graph, std::vector<std::uint32_t> number);

  // Adds that packets go from `in` on to `out`. False, and nothing changed, when that would close a cycle. REQUIRES:
  // both join switches, `out` leaves the one at the end of `in`, and it is not there yet.
  [[nodiscard]] bool insert(ChannelId in, ChannelId out);
  // Whether it is before `out` in the order: then insert() takes them.
  [[nodiscard]] bool ascends(ChannelId in, ChannelId out) const { return number_[index(in)] < number_[index(out)]; }
  // For each of many steps 1 where insert() would refuse it, and 0 elsewhere: in one pass over the order, where a search for
  // each would go over most of it.
  [[nodiscard]] std::vector<std::uint8_t> close_cycles(std::span<const std::pair<ChannelId, ChannelId>> steps) const;

 private:
  using Ports = std::uint64_t;  // a bit for each port

  struct Channel {
    std::uint32_t source_row = 0, end_row = 0;      // of the switches at both ends, in words
    std::uint32_t source_first = 0, end_first = 0;  // their first channels
    std::uint8_t source_port = 0, end_port = 0;
  };
  // Channels that a search has come to: as a list, by the port by which they leave a switch, and by which they enter.
  struct Visited {
    std::vector<std::uint32_t> channels;
    std::vector<Ports> leaving, entering;  // per switch
  };

  void visit(Visited& visited, std::uint32_t channel) const;
  void forget(Visited& visited) const;
  [[nodiscard]] bool visit_followers(std::uint32_t channel, std::uint32_t highest);
  [[nodiscard]] bool visit_predecessors(std::uint32_t channel, std::uint32_t lowest);
  [[nodiscard]] bool collect(std::uint32_t from, std::uint32_t to);
  void renumber();
  [[nodiscard]] bool is_before(std::uint32_t channel) const {
    const Channel& c = channels_[channel];
    return (before_.leaving[c.source_row + c.source_port / kBits] & bit(c.source_port)) != 0;
  }
  template <class Visit>
  void for_each_follower(std::uint32_t channel, Visit visit) const {
    for (std::uint32_t w = 0; w < words_; ++w)
      for (Ports ports = followers_[channel * words_ + w]; ports != 0; ports &= ports - 1)
        visit(channels_[channel].end_first + w * kBits + static_cast<std::uint32_t>(std::countr_zero(ports)));
  }
  [[nodiscard]] std::size_t word(std::size_t channel, std::uint8_t port) const {
    return channel * words_ + port / kBits;
  }
  static constexpr unsigned kBits = 64;
  static constexpr Ports bit(std::uint8_t port) { return Ports{1} << port % kBits; }

  std::size_t words_;                      // of a set of ports
  std::vector<Channel> channels_;          // per channel
  std::vector<std::uint32_t> reverse_;     // per channel: the other direction of its link
  std::vector<Ports> followers_;           // per channel: ports of the switch at its end
  std::vector<Ports> predecessors_;        // per channel: ports of the switch that it leaves
  std::vector<std::uint32_t> number_;      // per channel
  std::vector<std::uint32_t> channel_at_;  // per number
  Visited after_, before_;                 // empty between calls
  // Scratch of renumber():
  std::vector<std::uint64_t> taken_;  // a bit for each number, 0 between calls
  std::vector<std::uint32_t> pool_, moved_;
};

}  // namespace espalier
