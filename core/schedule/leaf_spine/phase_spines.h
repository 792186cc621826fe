// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Spines for the flows of one phase that somebody has fixed: list edge coloring of a bipartite graph, leaves on both
// sides, one edge per flow, color = spine, allowed where both leaves have a link to it.
//
// What for? Schedules by formula and given traffic, where one cannot choose the spines first. Where all leaves miss the
// same spines this is Koenig's theorem (and what the thesis's Algorithm 6 wants to be); otherwise it is NP-complete in
// general, and easy as a rule: flows are placed one by one, each by exchanging two spines along an alternating path;
// what that leaves over goes to CaDiCaL as one variable per flow and allowed spine, exactly.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/schedule/leaf_spine/leaf_spine.h"

namespace espalier {

struct LeafPair {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};

// A spine per flow, no link twice. Nothing: there is none. REQUIRES: from != to in each pair.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> phase_spines(const LeafSpine& tree,
                                                                     std::span<const LeafPair> flows);

// Its first step, the alternating paths alone. Nothing: they have found none, which proves nothing.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> spines_by_exchange(const LeafSpine& tree,
                                                                           std::span<const LeafPair> flows);

// The same as far as it goes: as long as there is no coloring, the last flow goes without (kNoSpine).
inline constexpr std::uint32_t kNoSpine = ~std::uint32_t{0};
[[nodiscard]] std::vector<std::uint32_t> spines_of_first_flows(const LeafSpine& tree, std::span<const LeafPair> flows);

}  // namespace espalier
