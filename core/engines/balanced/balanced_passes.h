// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Best responses of all destinations, again and again: the search of `balanced`.
//
// One pass looks at each destination once. First only at flows that pay twice the usual, which are few and where most
// is to be won; when that wins nothing any more, at more and more of them. A pass is kept if no cell is fuller and no
// mean higher than in the best so far (is_worse() of balanced_loads.h).
//
// Work is counted, not timed, so that tables depend on nothing but the fabric and the option. A millisecond is one of a
// core of 2020; it holds more of small fabrics, whose cells fit into its cache.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/deadline.h"
#include "core/engines/balanced/balanced_cables.h"
#include "core/engines/balanced/balanced_loads.h"
#include "core/engines/balanced/balanced_pieces.h"
#include "core/engines/objective.h"
#include "core/tree/costs.h"
#include "core/tree/fat_tree.h"
#include "core/tree/host_order.h"
#include "core/tree/node_order.h"

namespace espalier {

struct SearchOptions {
  std::uint32_t milliseconds = 0;
  std::span<const HostPart> parts;  // as in HostOrder, if these are orders of their own
  Objective objective;
  Pieces pieces;
};

// Improves the columns; false, and as they were, where it cannot.
// Stops where it is when the deadline passes; the columns are then for nothing.
// REQUIRES: every entry lies on a shortest up-down path, none of which is longer than `longest_path`.
[[nodiscard]] bool search_by_passes(const FatTree& tree, const UpDownCosts& costs, const NodeOrder& order,
                                    const SearchOptions& options, const Cables& cables, Hops longest_path,
                                    const Deadline& deadline, HostColumns& columns);

}  // namespace espalier
