// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Whether a tree is a PGFT (pgft.h) without a missing piece, for engines that calculate with its level-wide constants.
//
// Four conditions, which together leave nothing but PGFTs:
//   1. one connected component, and hosts on the lowest level only;
//   2. switches of one level are alike: as many hosts, up-groups, down-groups, links in each group, and all groups
//      lead to the neighboring levels;
//   3. pods: two switches of one level stand above the same leaves or share none, and lead down to each leaf of theirs
//      in one path (as many leaves as the arities below multiply to);
//   4. children of one switch have the same parents.
#pragma once

#include "core/base/result.h"
#include "core/engines/routing_problem.h"

namespace espalier {

// Good when it is one. Errors: the first deviation, with the switch and what was expected.
[[nodiscard]] Status check_perfect_pgft(const RoutingProblem& problem);

}  // namespace espalier
