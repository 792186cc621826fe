// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// How good the routes are under load, without simulating: the static metrics of Gliksberg 2022, 2.3.
//
// A flow is one ordered pair (source, destination) of hosts, and loads each switch-to-switch channel of its route.
// Links of hosts are left out: their load does not depend on the routes.
//
//   edge-forwarding index Xi   the most flows on any channel (2.3, Definition 29 restricted to switch-switch edges)
//   edge-forwarding index xi   the same with the links of hosts (both directions) counted too
//   congestion risk mu         the most, over all channels, of min(sources, destinations) of the channel's flows: what
//                              these hosts can inject or absorb at best, in multiples of one host's rate (2.3.1)
//
// Under a permutation each channel has as many flows as sources and as destinations, so mu is the number of flows on
// the fullest channel. mu = 1: no two flows share a channel; mu = 4: some host gets a quarter of its rate, if all links
// and hosts are equally fast.
//
// Example: two leaves with two hosts each, one link between them. Shift by 2: hosts 0, 1 send to 2, 3: mu = 2.
// All-to-all: 4 flows in each direction, Xi = 4; 2 sources, 2 destinations: mu = 2; each host's link has 3 flows, so
// xi = max(4, 3) = 4.
//
// Flows that are split over several LIDs load each channel with their share (host_routes.h), and a source counts with
// the largest part of one of its flows, a destination likewise (flow_paths.h). Whole flows give the above.
//
// Cost: a permutation walks n routes; all-to-all adds two walks per (leaf, destination), weighted by the hosts of the
// leaf: one in the order of destinations, one in the order of sources.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/analysis/congestion/risk_distribution.h"
#include "core/analysis/congestion/traffic.h"
#include "core/analysis/routes/host_routes.h"
#include "core/base/progress.h"

namespace espalier {

// `destination` per source rank. REQUIRES: as large as routes.num_hosts(), each host at most once as the destination of
// another.
[[nodiscard]] PhaseRisk congestion_risk(const HostRoutes& routes, std::span<const std::uint32_t> destination);

// What these shares are on channel c by what it carries, in 1/1000 flows.
[[nodiscard]] std::uint32_t per_capacity(const HostRoutes& routes, ChannelId c, std::uint64_t shares);

// The same, by channel: `flows` becomes the shares on each. Returns those that do not arrive.
[[nodiscard]] std::uint64_t count_flows(const HostRoutes& routes, std::span<const std::uint32_t> destination,
                                        std::vector<std::uint32_t>& flows);

// mu of each phase of a pattern: mu[i] is that of permutation(n, pattern, seed, i). With a standard error in the
// pattern, of as many as it takes. Same result for any number of threads. REQUIRES: pattern.has_permutations().
[[nodiscard]] RiskDistribution permutation_risk(const HostRoutes& routes, const TrafficPattern& pattern,
                                                std::uint64_t seed, Progress* progress = nullptr);

// mu^SP = max() over every step-th shift (2.3.2); mu of k = shift_distances(n, step)[i] is mu[i].
// An RLFT with D-mod-K has 1.
[[nodiscard]] RiskDistribution shift_risk(const HostRoutes& routes, std::uint32_t step = 1);

// mu^RP(r) = median() over r random permutations (2.3.2); mu[i] is that of random_permutation(n, seed, i).
[[nodiscard]] RiskDistribution random_risk(const HostRoutes& routes, std::uint32_t r, std::uint64_t seed);

// In shares: routes.shares_per_flow() of them are a flow.
struct AllToAllRisk {
  std::uint64_t xi = 0;                      // flows on the fullest link, links of hosts included
  std::uint64_t xi_switches = 0;             // Xi: flows on the fullest switch-to-switch channel
  std::uint32_t mu = 0;                      // the most min(sources, destinations) on a switch-to-switch channel
  std::uint64_t unrouted = 0;                // of ordered pairs, what does not arrive (not counted as load)
  std::vector<std::uint64_t> channel_flows;  // per channel
};

[[nodiscard]] AllToAllRisk all_to_all_risk(const HostRoutes& routes, Progress* progress = nullptr);

}  // namespace espalier
