// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/simulation/fair_rates.h"

#include <algorithm>
#include <utility>

#include "core/analysis/congestion/progressive_filling.h"

namespace espalier {

FairRates fair_rates(const Fabric& fabric, const ForwardingTables& tables, std::span<const Transfer> transfers,
                     const SimulationOptions& options) {
  FairRates result;
  ResourceShares shares;
  std::vector<double> capacity(num_wires(fabric));  // of wires that somebody crosses
  for (const Transfer& transfer : transfers) {
    const std::vector<Wire> wires = wires_of(fabric, tables, transfer);
    result.undelivered += wires.empty() ? 1 : 0;
    for (const Wire w : wires) {
      capacity[w] = wire_rate(fabric, w, options);
      shares.add(w, 1);
    }
    shares.end_flow();
  }
  result.bytes_per_second = progressive_filling(shares, std::move(capacity)).of_flow;
  return result;
}

}  // namespace espalier
