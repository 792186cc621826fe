// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A schedule that was made for a whole network, adapted to lost uplinks: what finds no room in its phase moves to
// phases that are added at the end (Stein 2024, 5.4.3: FS, "fault-adaptive scheduling").
//
// The thesis marks candidates (Algorithm 3) and leaves the rest to an integer program. Two steps of polynomial cost do:
//
//   1. In each phase a leaf with u uplinks keeps at most u flows out and u in. The most that can stay is a maximum
//      b-matching of leaves with leaves, found by alternating paths. Of equal choices, flows stay whose servers had to
//      move most so far.
//   2. All that moves is a bipartite multigraph, servers within leaves on either side. K further phases suffice as soon
//      as no server moves more than K flows and no leaf more than K times its uplinks (equitable_coloring.h).
//
// Both together meet the bound (5.1) wherever step 1 leaves no uplink idle in the given phases. Only how many uplinks a
// leaf has is looked at here; which spines two leaves share is the trouble of chapter 6 (exchange_plan.h).
//
// paper                 here
// Algorithm 3           may_have_to_move()
// bw_l                  uplinks
#pragma once

#include <cstdint>
#include <vector>

#include "tests/support/formula_schedules.h"

namespace espalier {

struct AdaptedSchedule {
  PhaseList phases;         // those that were given, less what moved; then the added ones
  std::uint32_t moved = 0;  // flows in added phases
};

// Flows that Algorithm 3 hands to the solver: all of a leaf that has too many in a phase, out or in.
[[nodiscard]] std::vector<ServerPair> may_have_to_move(const PhaseList& phases,
                                                       const std::vector<std::uint32_t>& uplinks,
                                                       std::uint32_t servers_per_leaf);

// REQUIRES: in a phase each server sends at most once and receives at most once; a leaf that sends or receives has an
// uplink. `uplinks` per leaf.
[[nodiscard]] AdaptedSchedule adapt_schedule(const PhaseList& phases, const std::vector<std::uint32_t>& uplinks,
                                             std::uint32_t servers_per_leaf);

}  // namespace espalier
