// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// How long transfers take when all of them run at once over the routes that tables give them.
//
// What for: congestion risk (core/analysis/congestion/congestion.h) counts the flows on the fullest link; this says
// what that costs in time. The model is that of flows in a fluid: each transfer moves along its route at one rate, the
// channels of a route are shared max-min fairly (no flow can get more without taking from one that has no more than
// it), and rates change the moment a transfer ends. SimGrid computes it. There is no latency, no packet, no virtual
// lane and no head of line blocking, so figures are upper bounds of what a lossless network does.
//
// Example: two hosts of a leaf send 1 GB each over one 100 Gbit/s uplink, and a third sends 1 GB over another. The
// third is done after 80 ms, the two after 160 ms; a phase of the three takes 160 ms.
//
// A host sends and receives over its link. A switch may send as well: its port 0 is taken to be as fast as
// SimulationOptions::default_mbps.
//
// Not reentrant: SimGrid has one simulation for each process. REQUIRES: one call at a time.
#pragma once

#include <span>
#include <vector>

#include "core/simulation/transfer.h"

namespace espalier {

struct SimulatedTimes {
  std::vector<double> seconds;        // of each phase, or of each transfer's end
  std::vector<std::size_t> left_out;  // the tables do not deliver, or the sender has no link: positions among the
                                      // transfers of all phases, ascending
};

// All transfers of a phase start together, the next phase when the last has arrived: a barrier between phases.
// seconds: how long each phase takes; 0 for one without transfers.
[[nodiscard]] SimulatedTimes simulate_phases(const Fabric& fabric, const ForwardingTables& tables,
                                             std::span<const std::vector<Transfer>> phases,
                                             const SimulationOptions& options = {});

// Each sender's transfers one after the other, in this order, and no sender waits for another.
// seconds: when each transfer has arrived, since the start; 0 for one that is left out.
[[nodiscard]] SimulatedTimes simulate_streams(const Fabric& fabric, const ForwardingTables& tables,
                                              std::span<const Transfer> transfers,
                                              const SimulationOptions& options = {});

}  // namespace espalier
