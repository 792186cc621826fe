// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Other starts of the search: the columns of other engines, and of another numbering.
#pragma once

#include <cstddef>

#include "core/engines/balanced/host_columns.h"
#include "core/engines/routing_problem.h"
#include "core/tree/tree_channels.h"

namespace espalier {

inline constexpr std::size_t kNumAlternatives = 5;

// The i-th, with the entry of `own` wherever its own does not lead closer to the destination: ftree2's trees come around
// below switches with hosts of their own. Best responses move all flows that a new entry may touch, by where shortest
// paths go. REQUIRES: i < kNumAlternatives.
[[nodiscard]] HostColumns alternative(std::size_t i, const RoutingProblem& problem, const TreeChannels& channels,
                                      const HostColumns& own);

}  // namespace espalier
