// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Gxmodk (J. Gliksberg, thesis 2022, chapter 3): ids that know what kind of work each host does, then a closed form.
//
// Two paths of numbering:
//   grouped      Algorithm 4 (grouped_order.h), then the closed form of Dmodc. Best for storage traffic, whoever sends
//                to whom; costs shifts and other traffic among all hosts up to one more flow per channel.
//   interleaved  interleaved_order.h, then stable_form.h: phases between types without that price, as long as each leaf
//                talks to few storage nodes at a time.
// auto takes the one with the lower expected congestion risk. Let x be the share of traffic to small types (those with
// less than a quarter of the hosts) and F the most destinations of one small type on one path to the top, in either
// order. Other traffic loses one flow per channel by grouping, so grouped is worth it when
//
//   x (F(interleaved) - F(grouped)) > 1 - x
//
// 8 640 hosts of scripts/type_table.sh: F is 30 and 5, so grouped from x = 4 % on. A two-level tree in which the
// storage nodes are on the same port of each leaf cannot have slots that repeat and spread them; F tells.
#pragma once

#include "core/engines/options.h"
#include "core/engines/routing_problem.h"
#include "core/fabric/forwarding_tables.h"

namespace espalier {

// With `options` bound, a step for up_down_engine.h.
[[nodiscard]] ForwardingTables gxmodk(const RoutingProblem& problem, const EngineOptions& options);

}  // namespace espalier
