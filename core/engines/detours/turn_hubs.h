// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Near which switch detours should turn: one hub for each connected component, since turns at several places easily close
// cycles of channel dependencies.
#pragma once

#include <vector>

#include "core/engines/routing_problem.h"

namespace espalier {

// Per connected component its switches, best hub first.
using RankedHubs = std::vector<std::vector<SwitchId>>;

// Those first that reach most others by up-down paths.
[[nodiscard]] RankedHubs hubs_by_reach(const RoutingProblem& problem);

// For hosts that have no up-down path to each other: those leaves first whose fullest link upward would carry the fewest of
// their flows, all to all, if each destination's were spread over the links that lead to it. O(leaves x leaves with such
// hosts x ports).
[[nodiscard]] RankedHubs hubs_by_host_detours(const RoutingProblem& problem);

// The `rank`-th of each component; where it has fewer, counted round.
[[nodiscard]] std::vector<SwitchId> hubs_at(const RankedHubs& ranked, std::size_t rank);

}  // namespace espalier
