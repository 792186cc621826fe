// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// mu and Xi of flows of any kind: hosts may send to several, and receive from several. congestion.h has the same for
// permutations and all-to-all, faster.
//
// With flows split over several LIDs, src_p and dst_p of Gliksberg 2022, 2.3.1, become sums of parts: each source
// counts with the largest part of one of its flows that crosses the channel (flow_paths.h), and mu is their minimum as
// before. Example: hosts 0 and 1 each send half of a flow over a channel, to 2 and 3: mu = min(1/2 + 1/2, 1/2 + 1/2)
// = 1.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/analysis/congestion/risk_distribution.h"
#include "core/analysis/routes/host_routes.h"

namespace espalier {

struct Flow {
  std::uint32_t source = 0;       // rank
  std::uint32_t destination = 0;  // rank; flows to itself load nothing and are not counted
  double weight = 1;              // at least 0, in the unit of whoever measured the traffic

  bool operator==(const Flow&) const = default;
};

struct FlowRisk {
  std::uint64_t num_flows = 0;
  // In shares (HostRoutes::shares_per_flow()); over all switch-to-switch channels:
  std::uint32_t mu = 0;               // the most min(sources, destinations)
  std::uint64_t xi_switches = 0;      // Xi: the most flows
  double weight = 0;                  // the most weight of the flows on one channel
  double weight_per_capacity = 0;     // the same by what the channel carries (capacities.h)
  std::uint32_t mu_per_capacity = 0;  // mu by what the channel carries, in 1/1000 flows
  std::uint64_t unrouted = 0;         // shares that do not arrive (not counted as load)
};

// Of flows that are there at one time. Cost: two walks for each flow.
[[nodiscard]] FlowRisk flow_risk(const HostRoutes& routes, std::span<const Flow> flows);

// mu of several sets of flows, in parallel: phase(i) -> std::vector<Flow>. Stops as collect_risks() does.
template <class Phase>
[[nodiscard]] RiskDistribution phase_risk(const HostRoutes& routes, std::size_t count, double standard_error,
                                          Progress* progress, const Phase& phase) {
  return collect_risks(count, standard_error, routes.shares_per_flow(), progress, [&](std::size_t i) {
    const FlowRisk risk = flow_risk(routes, phase(i));
    return PhaseRisk{risk.mu, risk.unrouted, risk.mu_per_capacity};
  });
}

// Neighbors of a ring in a random order, both ways: {order[i] -> order[i +- 1]}. With two hosts one flow each way.
[[nodiscard]] std::vector<Flow> two_way_ring(std::span<const std::uint32_t> order);

// Phase k of node-type phases (traffic.h): from a_i to b_j. REQUIRES: `to` is not empty, k < to.size().
[[nodiscard]] std::vector<Flow> type_phase(std::span<const std::uint32_t> from, std::span<const std::uint32_t> to,
                                           std::size_t k);
// The same backwards.
[[nodiscard]] std::vector<Flow> reversed(std::vector<Flow> flows);

}  // namespace espalier
