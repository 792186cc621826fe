// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/routing_problem.h"

#include <utility>

#include "core/tree/dividers.h"

namespace espalier {

RoutingProblem::RoutingProblem(const FatTree& t, std::span<const EndportId> jobs)
    : tree(t),
      fabric(t.fabric()),
      costs(t),
      order(topological_order(t, costs, jobs)),
      targets(t, order),
      divider(dividers(t)) {}

RoutingProblem::RoutingProblem(const FatTree& t, NodeOrder ids)
    : tree(t), fabric(t.fabric()), costs(t), order(std::move(ids)), targets(t, order), divider(dividers(t)) {}

}  // namespace espalier
