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
// Example: two leaves with two hosts each, one cable between them. Shift by 2: hosts 0, 1 send to 2, 3: mu = 2.
// All-to-all: 4 flows in each direction, Xi = 4; 2 sources, 2 destinations: mu = 2; each host's link has 3 flows, so
// xi = max(4, 3) = 4.
//
// Cost: a permutation walks n routes; all-to-all adds one walk per (leaf, destination), weighted by the hosts of the
// leaf, and keeps a set of source leaves per channel (leaves x channels bits per thread).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/analysis/host_routes.h"
#include "core/analysis/traffic.h"

namespace espalier {

// mu of one permutation.
struct PermutationRisk {
  std::uint32_t mu = 0;        // flows on the fullest channel; 0: no flow leaves its leaf
  std::uint32_t unrouted = 0;  // flows that do not arrive (not counted as load)
};

// `destination` per source rank. REQUIRES: a permutation of 0 .. routes.num_hosts()-1.
[[nodiscard]] PermutationRisk congestion_risk(const HostRoutes& routes, std::span<const std::uint32_t> destination);

// mu of several permutations and what is usually told of it.
struct RiskDistribution {
  std::vector<std::uint32_t> mu;  // per permutation, in the order of the pattern
  std::uint64_t unrouted = 0;     // flows of all permutations that do not arrive

  // All 0 when there was no permutation. Quartiles and median are linearly interpolated between neighbours in the
  // sorted list ("type 7", as numpy and R do it).
  [[nodiscard]] std::uint32_t max() const;
  [[nodiscard]] std::uint32_t min() const;
  [[nodiscard]] double mean() const;
  [[nodiscard]] double median() const { return quantile(0.5); }
  // REQUIRES: 0 <= q <= 1.
  [[nodiscard]] double quantile(double q) const;
};

// mu^SP = max() over every step-th shift (2.3.2); mu of k = shift_distances(n, step)[i] is mu[i].
// An RLFT with D-mod-K has 1.
[[nodiscard]] RiskDistribution shift_risk(const HostRoutes& routes, std::uint32_t step = 1);

// mu^RP(r) = median() over r random permutations (2.3.2); mu[i] is that of random_permutation(n, seed, i).
[[nodiscard]] RiskDistribution random_risk(const HostRoutes& routes, std::uint32_t r, std::uint64_t seed);

struct AllToAllRisk {
  std::uint64_t xi = 0;           // flows on the fullest link, links of hosts included
  std::uint64_t xi_switches = 0;  // Xi: flows on the fullest switch-to-switch channel
  std::uint32_t mu = 0;           // the most min(sources, destinations) on a switch-to-switch channel
  std::uint64_t unrouted = 0;     // ordered pairs that do not arrive (not counted as load)
};

[[nodiscard]] AllToAllRisk all_to_all_risk(const HostRoutes& routes);

}  // namespace espalier
