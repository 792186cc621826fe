// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The channel dependencies of a routing under construction, kept free of cycles while dependencies are added.
//
// Deadlock freedom means that the channels can be numbered so that every dependency goes upward. This class holds such
// a numbering and repairs it locally when a new dependency goes downward (D. J. Pearce and P. H. J. Kelly, "A dynamic
// topological sort algorithm for directed acyclic graphs", JEA 11, 2006): only channels numbered between the two ends
// are visited. What would close a cycle is refused and leaves no trace. Several at once take one search: all that is behind
// them moves as a whole (A. Marchetti-Spaccamela, U. Nanni and H. Rohnert, "Maintaining a topological order under edge
// insertions", IPL 59, 1996), by depth-first search, since they may follow one another.
//
// At the start the numbering is: channels upward, lowest switch first; then channels downward, highest switch first.
// Every up-down path agrees with it.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/large_array.h"
#include "core/base/ordered_graph.h"
#include "core/tree/fat_tree.h"

namespace espalier {

class ChannelOrder {
 public:
  explicit ChannelOrder(const FatTree& tree);
  // Starts with these numbers of channels, which have to be distinct.
  ChannelOrder(const Fabric& fabric, std::vector<std::uint32_t> number);

  // Whether packets may already go from channel `in` out of port `out` of the switch at its far end.
  [[nodiscard]] bool has(ChannelId in, PortNum out) const { return (word(in, out) & bit(out)) != 0; }
  // The same for any port of the switch at its far end.
  [[nodiscard]] bool has_any(ChannelId in) const;
  // Allows it. False, and nothing changed, when that would close a cycle.
  // REQUIRES: both are channels between switches.
  [[nodiscard]] bool insert(ChannelId in, PortNum out);
  // Two channels one behind the other.
  struct Dependency {
    ChannelId in, out;
  };
  // Allows all of these, or none but those that were allowed already.
  [[nodiscard]] bool insert_all(std::vector<Dependency> dependencies);
  // Each two channels take each other's number, so that what is like something that was allowed can be inserted without a
  // search. False, and nothing changed, when what is allowed forbids that.
  bool exchange(const std::vector<std::pair<ChannelId, ChannelId>>& channels);
  // Takes back what insert() allows.
  void retract(ChannelId in, PortNum out);
  // Takes back all that was allowed before and behind a channel that is gone.
  void remove(ChannelId gone);

  // Channels that searches for cycles have visited so far, nearly all of what insert() costs.
  [[nodiscard]] std::uint64_t visited() const { return visited_; }

 private:
  enum Mark : std::uint8_t { kSeen = 1, kSeenBefore, kOnPath, kSorted };
  [[nodiscard]] std::uint64_t word(ChannelId in, PortNum out) const {
    return allowed_[first_word_[index(in)] + index(out) / 64];
  }
  [[nodiscard]] static std::uint64_t bit(PortNum out) { return std::uint64_t{1} << (index(out) % 64); }
  void forget_refusals();
  void allow(ChannelId in, PortNum out) { allowed_[first_word_[index(in)] + index(out) / 64] |= bit(out); }
  void forbid(ChannelId in, PortNum out) { allowed_[first_word_[index(in)] + index(out) / 64] &= ~bit(out); }

  template <class Visit>
  void for_each_after(ChannelId c, Visit visit) const;
  template <class Visit>
  void for_each_before(ChannelId c, std::uint32_t lowest, Visit visit) const;
  // Whether all that is allowed before and behind a channel agrees with its number.
  [[nodiscard]] bool goes_upward(ChannelId c) const;

  bool turn_upward(const std::vector<Dependency>& dependencies);
  [[nodiscard]] std::vector<ChannelId> numbered_from(std::uint32_t lowest, std::uint32_t highest) const;
  bool sort_behind(ChannelId first, std::vector<ChannelId>& sorted);
  void collect_after(std::uint32_t highest);
  bool collect_both(ChannelId first, ChannelId last);
  void forget_visited();

  const Fabric& fabric_;
  LargeVector<std::uint32_t> first_word_;  // per channel, into allowed_
  LargeVector<std::uint64_t> allowed_;     // per channel: the ports of the far switch that may follow
  LargeVector<std::uint64_t> refused_;     // per channel: those that would close a cycle; dependencies are only added
  bool has_refused_ = false;
  std::vector<std::uint32_t> number_;  // per channel: every dependency goes to a higher number
  LargeVector<ChannelId> opposite_;    // per channel: the other one of its link; itself where that leads to no switch
  std::vector<std::uint8_t> seen_;     // per channel: a Mark; all 0 between calls
  std::vector<ChannelId> after_;       // scratch: reachable from the new dependency's end
  std::vector<ChannelId> before_;      // scratch: leading to its start
  std::uint64_t visited_ = 0;
  Reordering<ChannelId> reorder_;
};

// Allows every step of up-down paths that closes no cycle with what is allowed. Returns whether these are all.
bool insert_up_down_steps(const FatTree& tree, ChannelOrder& order);

}  // namespace espalier
