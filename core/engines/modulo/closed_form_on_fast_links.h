// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The closed form as if slow links were lost: links that carry much less (under 40 %) than most links between the same
// levels, such as one that came up at 1x in place of 4x. A flow on such a link lasts as long as four on another, so it
// is left out wherever hosts have other shortest paths.
//
// Best responses leave such links too (balanced/loads/shift_loads.h), one destination at a time, and then the rest is no
// longer aligned: XGFT(3;12,12,24;1,12,12) with one throttled link 3 in the worst shift, as with the link lost 2.
#pragma once

#include <optional>

#include "core/engines/routing_problem.h"
#include "core/fabric/forwarding_tables.h"

namespace espalier {

// In the order of planes. Entries of `tables` stay where all shortest paths take a slow link. Nothing where no link is
// slow.
[[nodiscard]] std::optional<ForwardingTables> closed_form_on_fast_links(const RoutingProblem& problem,
                                                                        ForwardingTables tables);

}  // namespace espalier
