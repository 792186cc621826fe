// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// All ports of a switch on a shortest legal path to a LID, deadlock-free together: what switches with adaptive routing may
// choose among (Gliksberg 2022, 4.6), and the packet simulator.
//
// Legal on a tree is a path up, then down; then P(s,d) of (4.6) is all of it, and no choice can close a loop. On other
// fabrics, and where detours around damage turn up again, that is not known beforehand: there a port is legal if it leads
// nearer by the routing's own hop counts, and if the dependencies of all choices so far stay without a cycle. Those that
// close one are left out, and LIDs come in the order of their numbers, so the first ones have more to choose from.
#pragma once

#include "core/base/result.h"
#include "core/engines/routing_engine.h"
#include "core/fabric/alternative_ports.h"
#include "core/tree/fat_tree.h"

namespace espalier {

// Every set holds the table's own port. Errors: the tables themselves are unsound.
// REQUIRES: `routing` is of the tree's fabric.
[[nodiscard]] Result<AlternativePorts> find_alternatives(const FatTree& tree, const Routing& routing);

}  // namespace espalier
