// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The shortest all-to-all exchange that a number of LIDs allows: the search over phases and grains.
//
// With L LIDs per host a leaf may use L different spines toward a destination. Two ways to stay below that: a grain of
// at least servers/L (server_exchange.h), or an assignment that uses at most L spines per pair of leaves
// (spine_assignment.h). The first costs phases only by rounding T up to a multiple of the grain; the second costs
// nothing but may not be found. Both are tried for T = bound, bound + 1, ...; L = 1 leaves the largest grain alone.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/schedule/exchanges/server_exchange.h"
#include "core/schedule/leaf_spine/detours.h"
#include "core/schedule/leaf_spine/leaf_spine.h"

namespace espalier {

struct ExchangePlan {
  std::uint32_t phases = 0;
  std::uint32_t grain = 0;
  std::vector<Slot> slots;  // [server * phases + phase]; a spine above num_spines is num_spines + 1 + a detour
  // Pairs of leaves without a common spine; where this is empty, they are left out.
  std::vector<Detour> detours;
};

// `hub`: the leaf over which detours go. They take one more LID offset there.
// REQUIRES: lids_per_host > 0, at least one server. Nothing when twice the bound is not enough either.
[[nodiscard]] std::optional<ExchangePlan> plan_exchange(const LeafSpine& tree, std::uint32_t lids_per_host,
                                                        std::optional<std::uint32_t> hub = std::nullopt);

}  // namespace espalier
