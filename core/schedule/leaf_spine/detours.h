// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Flows between leaves that have lost their last common spine: up to a spine, down to a third leaf, the *hub*, and up
// and down again.
//
// Half of all links lost, two of a hundred trees have such a pair. Its flows take four links at once, so they are no
// edge between two sets, and equitable_coloring.h has no say. Instead they get some blocks for themselves, as many as
// they have pieces: there each detour has its four links alone, and all other flows keep off. Detours that share no
// link share their blocks. What remains is the same problem twice: a *part* of the schedule in which some links are
// missing, and the rest. A bounded flow deals the pieces out to the parts.
//
//     blocks   0 .......... 19 | 20 ...................... 56
//     A->B     s, hub, t       |                              the links A-s, s-hub, hub-t, t-B carry nothing else in
//     0..19 others   on other links  | everywhere
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/schedule/exchanges/server_exchange.h"
#include "core/schedule/leaf_spine/leaf_spine.h"
#include "core/schedule/leaf_spine/spine_assignment.h"

namespace espalier {

struct Detour {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint32_t first_spine = 0;   // joined to `from` and the hub
  std::uint32_t second_spine = 0;  // joined to the hub and `to`
  std::uint32_t part = 0;          // detours of one part share no link
};

// One for each ordered pair of leaves with servers and without a common spine, over links that others need least.
// Choice 0 is the best by that measure, 1, 2, ... are others for a second try.
// Nothing when the hub has no spine in common with one of them. Empty: every pair is joined.
[[nodiscard]] std::optional<std::vector<Detour>> find_detours(const LeafSpine& tree, std::uint32_t hub,
                                                              std::size_t choice = 0);

// The blocks that each part needs for its detours.
[[nodiscard]] std::vector<std::uint32_t> blocks_of_detours(const LeafSpine& tree, const std::vector<Detour>& detours,
                                                           std::uint32_t grain);

// Adds the rounds in which links belong to detours to what is taken.
void reserve_links(const LeafSpine& tree, const std::vector<Detour>& detours, std::uint32_t hub,
                   const std::vector<std::uint32_t>& blocks_of_parts, AssignmentLimits& limits);

// Divides `whole` (assigned with those links reserved) into a part for each part of the detours, these included as paths
// num_spines + 1 + number of the detour, and a last one. Nothing: the pieces cannot be dealt out so.
[[nodiscard]] std::optional<std::vector<Part>> divide_around_detours(const LeafSpine& tree, const Part& whole,
                                                                     const std::vector<Detour>& detours,
                                                                     std::uint32_t hub, std::uint32_t grain);

}  // namespace espalier
