// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A closed form for quasi fat trees, like PQFT (E. Zahavi, I. Keslassy, A. Kolodny, "Quasi fat trees for HPC clouds and
// their fault-resilient closed-form routing", 2014) in what it computes, not in its text.
//
// In a QFT a top switch has several paths down to a leaf. Dmodc takes the modulo there with the top's own divider, which
// knows nothing of how the destination's leaf numbers its parents: flows to different hosts of a leaf, each on a top
// of its own, may come down through one switch. Here they come down the path that the destination's leaf itself would
// go up by (4.7) for this id, its chain:
//
//     x0 = leaf of d,   x(k+1) = up-group floor(d / divider(xk)) mod #up-groups of xk,   x(k+1) sends down to xk
//
// All sources use the same indices, so in a perfect QFT every host's packet meets this chain at its top. In a PGFT
// there is one path down anyway, and this is Dmodc.
//
// The same tables come out of annex 3 of Gliksberg 2022 (vPGFTs): split each top switch so that every part has one path
// down to each leaf, route by Dmodk, join the parts, and let the part on the destination's chain win. vpgft.h does so
// by Ftree.
//
// O(levels) per LID on top of the closed form; in parallel by destination switch.
#pragma once

#include "core/engines/routing_problem.h"
#include "core/fabric/forwarding_tables.h"

namespace espalier {

// A step for up_down_engine.h.
[[nodiscard]] ForwardingTables pqft(const RoutingProblem& problem);

}  // namespace espalier
