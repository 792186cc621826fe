// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Full load: the rates of transfers that never end, when all of them share the wires max-min fairly, by progressive
// filling (core/analysis/congestion/progressive_filling.h).
//
// Ours and not SimGrid's (flow_simulation.h): its cost grows with the square of the flows that end at one time, ten
// minutes for all pairs of 648 hosts, which this does in a second.
#pragma once

#include <span>
#include <vector>

#include "core/simulation/transfer.h"

namespace espalier {

struct FairRates {
  std::vector<double> bytes_per_second;  // of each transfer; 0 for one that is left out
  std::uint64_t undelivered = 0;         // left out: the tables do not deliver, or the sender has no link
};

// Transfer::bytes is not looked at.
[[nodiscard]] FairRates fair_rates(const Fabric& fabric, const ForwardingTables& tables,
                                   std::span<const Transfer> transfers, const SimulationOptions& options = {});

}  // namespace espalier
