// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The closed form for open entries: the destinations of a lost link are dealt out to the others in rotation. And back to it
// where flows would be shed, as a move of all open entries of a switch, or of all such switches, at once.
//
// A switch that has lost one of three links upward has two left for the flows of its leaves. If each is to have six of
// twelve under every shift, there is no room for mistakes. Where the lost link had every third leaf, rotation makes none; but a
// flow takes its port by rotation only up to the limit, which is five there, and the sixth is placed by price, entry by
// entry, in the order of LIDs. Where GUIDs are shuffled that order is any, and the mistakes that it leads to cannot be
// put right by entries that move alone: what one link is rid of the other has in addition. To move them costs no block, as
// they are open, where a leaf that sheds a flow writes one (8 640 hosts, GUIDs shuffled: a lost top wrote 1.4 to 1.5 of the
// unavoidable blocks, and writes 1.0).
//
// Tried and worse: swaps of two entries' ports, as local search for generalized assignment problems goes (a lost top 1.4;
// after the moves of this file they change nothing for the better).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/repair/broken/broken_flows.h"
#include "core/repair/broken/open_entries.h"
#include "core/repair/broken/working_state.h"
#include "core/repair/reference/class_loads.h"

namespace espalier {

// A flow on whose path a channel is so full that flows are shed.
struct StrainedFlow {
  std::uint32_t column;  // into OpenEntries::columns
  std::uint32_t leaf;    // its place
  bool has_chosen;       // the leaf has had its choice
};

// Whether a channel has so many flows under a shift of this one that some are shed: above its limit by more than one in so
// many, with limit 5 at 7. Shedding at 6 writes twice the blocks for ten lost links of 10 080.
[[nodiscard]] inline bool is_strained(const WorkingState& state, const ClassLoads& loads, ChannelId c,
                                      ClassLoads::Flow flow) {
  constexpr unsigned kShedShare = 5;
  const unsigned limit = state.limit(c);
  return loads.is_above(c, flow, limit + limit / kShedShare);
}

// Whether so few that a leaf that sheds a flow writes a block that nothing else does.
[[nodiscard]] bool are_few_broken(const PreparedReference& prepared, const BrokenFlows& broken_flows);

class ClosedForm {
 public:
  // REQUIRES: all outlive this, and every open entry has a port.
  ClosedForm(WorkingState& state, const OpenEntries& open, const BrokenFlows& broken_flows, ClassLoads& loads);

  // Only where few are broken: else what leaves shed makes room (8 640 hosts, 86 links or 8 switches: 6 flows under the worst
  // shift, and 7 where entries move first). Where it costs less, for the switches above the bottom that these flows pass by
  // an open entry. Adds the flows that are strained when all is done.
  void run(LargeVector<StrainedFlow>& strained);

 private:
  struct Passing {        // a flow on whose path an open entry is
    std::uint32_t place;  // of its switch, among those that are looked at
    std::uint32_t column;
    std::uint32_t leaf;
  };
  struct Entry {
    SwitchId s;
    std::size_t lid;
    PortNum other;  // port: the closed form's, or that from before where it has the closed form's
  };

  [[nodiscard]] std::vector<SwitchId> strained_switches(const LargeVector<StrainedFlow>& strained);
  [[nodiscard]] std::vector<Passing> flows_over(const std::vector<SwitchId>& switches);
  [[nodiscard]] std::vector<Entry> entries_of(const std::vector<SwitchId>& switches,
                                              std::span<const Passing> flows) const;
  void exchange_if_cheaper(std::span<Entry> entries, std::span<const Passing> flows);
  void exchange(std::span<Entry> entries);
  [[nodiscard]] std::uint64_t take_off(std::span<const Passing> flows);
  [[nodiscard]] std::uint64_t put_on(std::span<const Passing> flows);
  [[nodiscard]] bool is_strained_now(const Passing& passing);
  [[nodiscard]] bool is_open(const Passing& passing) const;  // the leaf's entry

  WorkingState& state_;
  const PreparedReference& prepared_;
  const OpenEntries& open_;
  const BrokenFlows& broken_flows_;
  ClassLoads& loads_;
  std::vector<ChannelId> path_;  // scratch
};

}  // namespace espalier
