// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Two-level trees with cables missing, and a slow judge of exchanges on them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/schedule/leaf_spine.h"
#include "core/schedule/server_exchange.h"

namespace espalier::test {

// `leaves` leaves of `servers`, all spines; without `failed` cables, drawn with the seed.
[[nodiscard]] LeafSpine damaged_tree(std::size_t leaves, std::uint32_t servers, std::size_t spines, std::size_t failed,
                                     std::uint64_t seed);

// Whether each pair of leaves has a spine in common.
[[nodiscard]] bool all_pairs_joined(const LeafSpine& tree);

// What is wrong with an exchange, judged flow by flow: pairs, sends, receives, links. Empty: nothing.
[[nodiscard]] std::string fault_of(const LeafSpine& tree, const std::vector<Slot>& slots, std::uint32_t phases);

}  // namespace espalier::test
