// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// In-trees of shortest paths: who comes to a switch on the way to a destination, and by which channel. Known as a
// reverse depth-first search of the shortest-path graph; here downward only, since whoever has no path down to the
// destination comes from below.
#pragma once

#include <cstdint>
#include <vector>

#include "core/engines/routing_problem.h"
#include "core/tree/tree_channels.h"

namespace espalier {

class InTree {
 public:
  InTree(const RoutingProblem& problem, const TreeChannels& channels);

  // What follows is about shortest up-down paths to t.
  void set_destination(SwitchId t);
  [[nodiscard]] Hops cost(SwitchId s) const { return cost_[index(s)]; }

  // Calls visit(s, number of a channel of s) for each switch s below `root` that comes to it by this channel, if
  // wanted(s); below others it does not look. Parallel channels are used in rotation, call by call.
  template <class Wanted, class Visit>
  void visit(SwitchId root, Wanted wanted, Visit visit);

 private:
  struct Channel {
    SwitchId lower = kNoSwitch;
    std::uint8_t number = 0;    // at `lower`
    std::uint8_t parallel = 1;  // how many of these in a row lead to the same switch
  };
  const UpDownCosts& costs_;
  std::vector<Hops> cost_;            // per switch, to the destination
  std::vector<Channel> from_below_;   // switch by switch: the channels that come to it from below
  std::vector<std::uint32_t> first_;  // per switch, into from_below_
  std::vector<std::uint8_t> next_;    // per element of from_below_: which of the parallel channels is next
  std::vector<SwitchId> stack_;
};

template <class Wanted, class Visit>
void InTree::visit(SwitchId root, Wanted wanted, Visit visit) {
  stack_.assign(1, root);
  while (!stack_.empty()) {
    const SwitchId s = stack_.back();
    stack_.pop_back();
    for (std::uint32_t i = first_[index(s)]; i < first_[index(s) + 1]; i += from_below_[i].parallel) {
      const Channel& channel = from_below_[i];
      if (cost_[index(channel.lower)] != cost_[index(s)] + 1 || !wanted(channel.lower)) continue;
      visit(channel.lower, from_below_[i + next_[i]].number);
      next_[i] = static_cast<std::uint8_t>(next_[i] + 1 == channel.parallel ? 0 : next_[i] + 1);
      stack_.push_back(channel.lower);
    }
  }
}

}  // namespace espalier
