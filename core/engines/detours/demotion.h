// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Room for the last pairs of switches that no deadlock-free path joins: a few switches carry no more transit traffic.
//
// On heavily damaged trees turns.h leaves some pairs over. Almost always they have few switches in common: one whose
// uplinks are all gone, say, so that everybody who wants to reach it has to turn at one of the leaves below it, and
// others have turned there the other way round. Demoted below all its neighbors such a switch is a leaf without hosts:
// whoever reaches a neighbor reaches it by going down, and it reaches whatever they reach; nothing passes through it
// any more. Hosts lose one path of many, where an orientation from one root would cost them several times their
// bandwidth for the sake of traffic that hardly exists.
//
//      T0   T1          M lost its uplinks. From T0 to M: down to L, then up, a turn. Demoted below L and K: no turn.
//       |    |
//   M   N    |          (The greedy vertex cover of the pairs that are left over says who is demoted; then all is tried
//   |\ / \   |           again, until none are left over.)
//   | X   K--+
//   |/ \ /
//   L   K
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/engines/detours/turns.h"
#include "core/engines/routing_problem.h"
#include "core/engines/switch_paths.h"
#include "core/fabric/forwarding_tables.h"

namespace espalier {

struct Demoted {
  ForwardingTables tables;  // complete
  std::vector<std::string> warnings;
  std::vector<SwitchId> switches;  // those that carry nothing of others any more
};

// `tables`, less the pairs that complete() left over (`unjoined`), with routes for all pairs: entries that still lead
// closer to their destination stay, the others follow the closed form. Only switches without hosts are demoted. Empty:
// hosts are among the pairs that are left over, or too many rounds would be needed.
// `effort`: of each round. Many attempts are content with other switches than few.
// REQUIRES: `tables` hold an up-down path of the tree wherever there is one; `unjoined` is not empty.
[[nodiscard]] std::optional<Demoted> demote_and_complete(const RoutingProblem& problem, const ForwardingTables& tables,
                                                         std::vector<SwitchPair> unjoined, SwitchPathOptions options,
                                                         const TurnEffort& effort);

}  // namespace espalier
