// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Two open entries of one switch swap their ports where that costs their flows less: local search in the neighborhood of
// swaps, as for generalized assignment problems.
//
// A switch that has lost one of three links upward has two left for the flows of its leaves. If each is to have six of
// twelve under every shift, there is no room for mistakes, and greedy choices make some. To move one entry does not help, as
// what one link is rid of the other has in addition. A swap with an entry that has a flow in the same class leaves that
// class as it is. The entries are open, so it costs no block, where a leaf that sheds a flow writes one (8 640 hosts, GUIDs
// shuffled, ten draws: at most 1.06 of the unavoidable blocks for a lost link in place of 1.24, for a lost switch 1.41 in
// place of 1.97).
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/repair/broken_flows.h"
#include "core/repair/class_loads.h"
#include "core/repair/open_entries.h"
#include "core/repair/working_state.h"

namespace espalier {

// A flow on whose path a channel is so full that flows are shed.
struct StrainedFlow {
  std::uint32_t column;  // into OpenEntries::columns
  std::uint32_t leaf;    // its place
  bool has_chosen;       // the leaf has had its choice
};

// Whether a channel has so many flows of these classes that some are shed.
[[nodiscard]] bool is_strained(const PreparedReference& prepared, const ClassLoads& loads, ChannelId c,
                               ClassLoads::Flow flow);

class PortSwaps {
 public:
  // REQUIRES: all outlive this, and every open entry has a port.
  PortSwaps(WorkingState& state, const OpenEntries& open, const BrokenFlows& broken_flows, ClassLoads& loads);

  // At the switches above the bottom that these flows pass by an open entry. Adds those that are strained when all is done.
  void run(std::vector<StrainedFlow>& strained);

 private:
  struct Range {
    std::uint32_t begin = 0, end = 0;
  };
  struct Passing {        // a flow on whose path an open entry is
    std::uint32_t place;  // of its switch, among those that are looked at
    std::uint32_t column;
    std::uint32_t leaf;
  };
  struct Entry {  // of the switch at hand, for a LID of a host
    std::uint32_t column;
    std::size_t lid;
    ChannelId channel;  // of its port
    Range leaves;       // in leaves_: whose flows pass it
    Range closer;       // in closer_: channels that it may lead to
    bool is_settled;    // no swap costs less, as far as is known
  };

  struct Price {
    std::uint64_t of_path;
    std::uint64_t at_once;  // of its first channel
  };

  [[nodiscard]] std::vector<SwitchId> strained_switches(const std::vector<StrainedFlow>& strained);
  [[nodiscard]] std::vector<Passing> flows_over(const std::vector<SwitchId>& switches);
  [[nodiscard]] bool is_strained_now(const Passing& passing);
  [[nodiscard]] bool is_open(const Passing& passing) const;  // the leaf's entry
  void gather(SwitchId s, std::span<const Passing> flows);
  [[nodiscard]] bool may_lead_to(const Entry& entry, ChannelId c) const;
  [[nodiscard]] bool is_strained_behind(SwitchId s, const Entry& entry);
  bool swap_with_any(SwitchId s, Entry& entry);
  [[nodiscard]] bool swap_if_cheaper(SwitchId s, Entry& one, Entry& other, Price price_of_one);
  [[nodiscard]] bool may_be_cheaper(const Entry& one, const Entry& other, std::uint64_t price_of_one);
  void unsettle_beside(const Entry& entry);
  [[nodiscard]] std::uint64_t take_off(const Entry& entry, std::span<const ChannelId> path);
  [[nodiscard]] std::uint64_t put_on(const Entry& entry, std::span<const ChannelId> path);
  bool find_path(const Entry& entry, ChannelId first, std::vector<ChannelId>& path) const;
  [[nodiscard]] std::span<const std::uint32_t> leaves(const Entry& entry) const {
    return {leaves_.data() + entry.leaves.begin, leaves_.data() + entry.leaves.end};
  }
  // visit(Entry&) -> whether to go on: those with a flow in this shift. Whether all were visited.
  template <class Visit>
  bool for_each_in_shift(std::uint32_t shift, Visit visit);

  WorkingState& state_;
  const PreparedReference& prepared_;
  const OpenEntries& open_;
  const BrokenFlows& broken_flows_;
  ClassLoads& loads_;

  // Scratch, for the switch at hand.
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> leaves_;
  std::vector<ChannelId> closer_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> by_shift_;  // of each flow: its shift, its entry
  std::vector<ChannelId> path_, of_one_, of_other_, from_other_;
};

}  // namespace espalier
