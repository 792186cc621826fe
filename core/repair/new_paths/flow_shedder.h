// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Shedding: when all have chosen, flows leave channels that are too full by another port of their leaf, the first in rotation
// behind which there is room, as in the choices before. The rotation begins behind the leaf's own port, further by the number
// of the destination's leaf. (The cheapest port of all, as until 2026-11-29, takes five times the instructions and is no better.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/repair/broken/open_entries.h"
#include "core/repair/broken/working_state.h"
#include "core/repair/new_paths/closed_form.h"
#include "core/repair/new_paths/path_warmer.h"
#include "core/repair/reference/class_loads.h"

namespace espalier {

class FlowShedder {
 public:
  // REQUIRES: all outlive this.
  FlowShedder(WorkingState& state, const OpenEntries& open, ClassLoads& loads);

  // Here and below nothing changes where the leaf has chosen. Where the flow is strained still: to the first port with room,
  // else to the cheapest, which may be its own.
  void shed_strained(const StrainedFlow& flow);
  // Where a flow exceeds a limit at all, and its leaf writes the block anyway. It evens out what channels carry under all shifts
  // together, by which random permutations go: a switch that has lost one of three links upward has up to 5.8 flows on the
  // others in the mean, and up to 5.2 then, where fresh tables have 5 (8 640 hosts, 432 lost links). Without room it stays.
  void shed_crowded(std::span<const StrainedFlow> flows);
  // Per column: the leaves of all that have left, by their places.
  [[nodiscard]] FlatLists<std::uint32_t> shed() const;

 private:
  struct Move {  // of a flow that is looked at
    SwitchId x;  // its leaf
    std::size_t lid;
    std::uint32_t column, leaf;
    ClassLoads::Flow flow;
  };

  [[nodiscard]] Move move_of(const StrainedFlow& flow) const;
  void move_if_crowded(const Move& move);
  void take_off_old_path(ClassLoads::Flow flow);
  void put_on(const std::vector<ChannelId>& path, ClassLoads::Flow flow);
  bool take_first_with_room(const Move& move);
  void take_cheapest(const Move& move);
  bool find_cheaper(ChannelId first, const Move& move, std::uint64_t& least);
  void take(const Move& move, ChannelId channel);

  WorkingState& state_;
  const PreparedReference& prepared_;
  const OpenEntries& open_;
  ClassLoads& loads_;
  PathWarmer warmer_;
  std::vector<ChannelId> old_path_, path_, cheapest_;
  std::vector<std::uint8_t> places_;
  LargeVector<std::pair<std::uint32_t, std::uint32_t>> shed_;  // column, leaf
};

}  // namespace espalier
