// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Full load: the rates of transfers that never end, when all of them share the wires max-min fairly.
//
// Max-min fair: nobody can get more without taking from one that has no more. There is exactly one such division, and
// progressive filling finds it (Bertsekas and Gallager, Data Networks, 6.5.2): raise all rates together until a wire is
// full; who crosses it keeps its rate, the others go on.
// Example: flows a, b cross wire 1 of capacity 1, flows b, c wire 2 of capacity 2. At 1/2 wire 1 is full: a and b stay;
// c goes on to 3/2.
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

// Transfer::bytes is not looked at. Cost: the steps of all routes, twice, and for each distinct rate a look at each
// wire.
[[nodiscard]] FairRates fair_rates(const Fabric& fabric, const ForwardingTables& tables,
                                   std::span<const Transfer> transfers, const SimulationOptions& options = {});

}  // namespace espalier
