// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Down-up turns at one switch, and what is left of the links above it.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "core/engines/detours/channel_order.h"
#include "core/repair/broken/working_state.h"

namespace espalier {

using Turn = ChannelOrder::Dependency;  // down to a switch, and up from it

[[nodiscard]] inline bool is_before(const Turn& a, const Turn& b) {
  return std::pair(a.in, a.out) < std::pair(b.in, b.out);
}

// The turns at s that `order` allows.
[[nodiscard]] std::vector<Turn> turns_at(const WorkingState& state, const ChannelOrder& order, SwitchId s);

// Pairs of channels that packets take before, at and behind entries of pairs with an up-down path that lead along none of
// the shortest. Nobody looks at these entries again, so the turns among them have to stay where they are. Sorted.
[[nodiscard]] std::vector<Turn> turns_of_odd_entries(const WorkingState& state);

// The switches that packets come from, and go to.
[[nodiscard]] std::pair<SwitchId, SwitchId> ends(const WorkingState& state, const Turn& turn);

[[nodiscard]] inline bool is_left(const WorkingState& state, const Turn& turn) {
  return state.is_left(turn.in) && state.is_left(turn.out);
}

// The turn over links that are left between the same switches; nothing: there are none.
[[nodiscard]] std::optional<Turn> on_left_cables(const WorkingState& state, const Turn& turn);

// Whether s has all links to the switches above it that are there. One of these that is gone is missing everywhere.
[[nodiscard]] bool has_all_uplinks(const WorkingState& state, SwitchId s);

// Whether a link of this group of s is left.
[[nodiscard]] bool has_link(const WorkingState& state, SwitchId s, const PortGroup& group);

}  // namespace espalier
