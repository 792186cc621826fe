// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// All-to-all exchanges over three levels: planes as if they were spines, then tops.
//
// How. 1. Leaves and planes are a LeafSpine; exchange_plan.h says who sends when over which plane, so that links of
// leaves carry one flow. 2. In each phase and plane, the flows between pods get tops by list edge coloring
// (phase_spines.h): a pod has as many flows there as it has leaves, hence with as many tops this is Koenig's theorem.
// *So an intact tree whose middle switches have no more leaves than tops keeps the phases of step 1.*
//
// Damage. A lost link of a leaf is step 1's. A middle switch that has more leaves than tops left does without the
// link of some leaf, one with most others: as if that had been lost. What cannot be colored all the same is left
// over, to be fitted into phases with room (fit_flows.h).
//
// LIDs. The low bits of the offset name the top, for every middle switch alike; the rest tells apart the planes that a
// leaf uses toward one server: LMC 3 for 8 tops, where naming both would take 6.
//
//     offset = code * 2^b + top        leaf: code -> plane        middle switch: top
#pragma once

#include "core/base/result.h"
#include "core/schedule/exchanges/routed_exchange.h"
#include "core/schedule/trees/pod_tree.h"

namespace espalier {

// REQUIRES: at least one server. Errors: an LMC that cannot name the tops; no plan.
[[nodiscard]] Result<RoutedExchange> route_pod_exchange(const Fabric& fabric, const PodTree& tree);

}  // namespace espalier
