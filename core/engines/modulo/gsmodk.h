// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Gsmodk (Gliksberg 2022, 3.4) as far as LIDs can say it: the source chooses the path.
//
// A switch looks at the destination alone, so no table routes by source. But LID offset k of a destination with id t
// takes, in each digit of a whole tree, the path of digit t_i + k_i (closed_form.h, LMC). So the source s reaches it by
// its own digits with k_i = (s_i - t_i) mod w_i: by the path that Gsmodk would take, on the tables of gxmodk's grouped
// ids, whose offset 0 serves everybody else.
//
// That costs as many LIDs as there are paths to the top. With fewer, low digits come first, and of the first digit that
// does not fit the largest divisor: of 24 planes with LMC 3, the source chooses one of 8 classes of three, and the
// destination one of the three.
//
// Example: XGFT(3;4,4,6;1,2,2), LMC 2: radices 2, 2. Phases from storage nodes then have congestion risk 1, to them 3,
// the mirror image of the same tables without offsets (3 and 1).
//
// One offset per source, whatever the destination, is no use: s + t is spread worse than s and than t, both phases 4.
#pragma once

#include "core/engines/routing_problem.h"
#include "core/fabric/choices/source_offsets.h"
#include "core/tree/order/node_types.h"

namespace espalier {

// For tables of gxmodk in mode grouped, and of the same types. Without radices when LMC 0 leaves no choice.
// REQUIRES: `types` has one entry per end port, or is empty.
[[nodiscard]] SourceOffsets source_offsets(const RoutingProblem& problem, const NodeTypes& types);

}  // namespace espalier
