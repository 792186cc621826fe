// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Pairs without an up-down path where no single subtree carries them all: heavy damage, several paths down, hosts at odd
// places. Down-up turns are admitted one by one, each only if the channel dependencies of everything routed so far stay
// free of cycles (ChannelOrder).
//
// For a destination t the switches that reach it grow like ripples: who has a neighbor that reaches t, over a
// dependency that exists already or goes up-down, joins. Only when nobody is left who could join so is one new turn
// admitted, at the best place, and the ripple goes on. So turns stay few and close together: preferably all on the
// switches above one hub, the switch that reaches most others, which is then what subtree.h calls the root.
//
// No promise of success: a turn admitted early may forbid all that a later destination could use. Then everything is
// tried again, in another random order each time (random restarts), with the destinations that failed first (rip-up and
// reroute, as in VLSI routing; W. A. Dees and P. G. Karger, "Automated rip-up and reroute techniques", DAC 1982). An
// attempt ends at its first failure, so one that fails early is cheap. Where no attempt joins all pairs the very first one
// stands, and what it left over is up to the caller, who has to make room (demotion.h).
//
// Why a random order: with the failed ones first and all others in the order before, none of 16 attempts joined all pairs of
// the 8 640-host tree without a fifth of its links (GUIDs shuffled and links drawn with seed 6001): 23 s, and 626 switches
// demoted for the sake of 41. Attempt 17 in random orders does, after 6 s; attempts 2 to 6 in three other trees that failed.
#pragma once

#include <cstddef>
#include <vector>

#include "core/engines/routing_problem.h"
#include "core/fabric/forwarding_tables.h"

namespace espalier {

struct SwitchPair {
  SwitchId from = kNoSwitch;
  SwitchId to = kNoSwitch;
};

// What pairs without an up-down path are worth.
struct TurnEffort {
  // The work of so many whole attempts at most: up to four times as many, if they fail early. 0: no turns at all.
  std::size_t attempts = 16;
  // Whether the search gives up at once where the first attempt leaves a pair over.
  bool all_at_once = false;
  // That may still be taken, by all calls which share this number; null: no limit. A step is a channel that is looked at for
  // a cycle, or a place for a turn, so that the tables do not depend on the machine.
  std::uint64_t* steps = nullptr;
};

// Fills the entries without an up-down path and returns the pairs that could not be joined, by destination; their
// entries stay empty. If no steps are left, these are some of the pairs. REQUIRES: `tables` hold an up-down path wherever there
// is one; effort.attempts > 0.
[[nodiscard]] std::vector<SwitchPair> route_by_turns(const RoutingProblem& problem, ForwardingTables& tables,
                                                     const TurnEffort& effort = {});

// The same where hosts have no up-down path to each other. Their flows would all meet at one link of the hub; so the hub
// is one with links enough (hubs_by_host_detours), switches with hosts join last, behind all neighbors that are equally
// near, and each LID takes of these the channel with the fewest flows so far, all to all.
//
// False, and nothing changed, if some pair could not be joined.
[[nodiscard]] bool spread_over_turns(const RoutingProblem& problem, ForwardingTables& tables, const TurnEffort& effort);

}  // namespace espalier
