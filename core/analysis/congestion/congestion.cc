// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/congestion/congestion.h"

#include <algorithm>

#include "core/base/check.h"

namespace espalier {

std::uint64_t count_flows(const HostRoutes& routes, std::span<const std::uint32_t> destination,
                          std::vector<std::uint32_t>& flows) {
  check(destination.size() == routes.num_hosts(), "count_flows: a permutation of other hosts");
  flows.assign(routes.num_channels(), 0);
  std::uint64_t unrouted = 0;
  for (std::size_t source = 0; source < destination.size(); ++source) {
    const std::size_t to = destination[source];
    if (to == source) continue;
    for (const auto [offset, shares] : routes.offset_shares(source, to)) {
      const std::uint32_t part = shares;
      if (routes.follow(routes.leaf(source), to, offset, [&](ChannelId c) { flows[index(c)] += part; })) continue;
      routes.follow(routes.leaf(source), to, offset, [&](ChannelId c) { flows[index(c)] -= part; });
      unrouted += part;
    }
  }
  return unrouted;
}

std::uint32_t per_capacity(const HostRoutes& routes, ChannelId c, std::uint64_t shares) {
  return static_cast<std::uint32_t>(static_cast<float>(shares) * 1000 * routes.capacities().weight(c) /
                                        static_cast<float>(routes.shares_per_flow()) +
                                    0.5F);
}

PhaseRisk congestion_risk(const HostRoutes& routes, std::span<const std::uint32_t> destination) {
  std::vector<std::uint32_t> flows;
  PhaseRisk risk;
  risk.unrouted = count_flows(routes, destination, flows);
  if (!flows.empty()) risk.mu = *std::max_element(flows.begin(), flows.end());
  if (routes.capacities().all_are_one()) {
    risk.mu_per_capacity = static_cast<std::uint32_t>(std::uint64_t{risk.mu} * 1000 / routes.shares_per_flow());
    return risk;
  }
  for (std::size_t c = 0; c < flows.size(); ++c)
    risk.mu_per_capacity = std::max(risk.mu_per_capacity, per_capacity(routes, id_at<ChannelId>(c), flows[c]));
  return risk;
}

RiskDistribution permutation_risk(const HostRoutes& routes, const TrafficPattern& pattern, std::uint64_t seed,
                                  Progress* progress) {
  const std::size_t n = routes.num_hosts();
  return collect_risks(num_permutations(n, pattern), pattern.standard_error, routes.shares_per_flow(), progress,
                       [&](std::size_t i) {
                         return congestion_risk(routes, permutation(n, pattern, seed, static_cast<std::uint32_t>(i)));
                       });
}

RiskDistribution shift_risk(const HostRoutes& routes, std::uint32_t step) {
  return permutation_risk(routes, {TrafficPattern::Kind::kShifts, step}, 0);
}

RiskDistribution random_risk(const HostRoutes& routes, std::uint32_t r, std::uint64_t seed) {
  return permutation_risk(routes, {TrafficPattern::Kind::kRandomPermutations, r}, seed);
}

}  // namespace espalier
