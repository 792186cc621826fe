// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Two-level trees with links missing, and a slow judge of exchanges on them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/schedule/exchanges/server_exchange.h"
#include "core/schedule/leaf_spine/detours.h"
#include "core/schedule/leaf_spine/leaf_spine.h"

namespace espalier::test {

// `leaves` leaves of `servers`, all spines; without `failed` links, drawn with the seed.
[[nodiscard]] LeafSpine damaged_tree(std::size_t leaves, std::uint32_t servers, std::size_t spines, std::size_t failed,
                                     std::uint64_t seed);

// Whether each pair of leaves has a spine in common.
[[nodiscard]] bool all_pairs_joined(const LeafSpine& tree);

// The lowest leaf that has a spine in common with every other; nothing when there is none.
[[nodiscard]] std::optional<std::uint32_t> hub_of(const LeafSpine& tree);

// What is wrong with an exchange, judged flow by flow: pairs, sends, receives, links; detours go over `hub`. Pairs
// without a common spine have to meet when there are detours. Empty: nothing is wrong.
[[nodiscard]] std::string fault_of(const LeafSpine& tree, const std::vector<Slot>& slots, std::uint32_t phases,
                                   const std::vector<Detour>& detours = {}, std::uint32_t hub = 0);

}  // namespace espalier::test
