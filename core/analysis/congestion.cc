// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/congestion.h"

#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/check.h"
#include "core/base/parallel.h"

namespace espalier {
namespace {

// At most one flow per host, and hosts have 16-bit LIDs. A flow that circles may wrap a count round: taken back
// exactly.
using FlowCounts = std::vector<std::uint16_t>;

PermutationRisk count_flows(const HostRoutes& routes, std::span<const std::uint32_t> destination, FlowCounts& flows) {
  flows.assign(routes.num_channels(), 0);
  PermutationRisk risk;
  for (std::size_t source = 0; source < destination.size(); ++source) {
    const std::size_t to = destination[source];
    if (to == source || routes.follow(routes.leaf(source), to, [&](ChannelId c) { ++flows[index(c)]; })) continue;
    routes.follow(routes.leaf(source), to, [&](ChannelId c) { --flows[index(c)]; });
    ++risk.unrouted;
  }
  if (!flows.empty()) risk.mu = *std::max_element(flows.begin(), flows.end());
  return risk;
}

template <class Permutation>
RiskDistribution risk_of_all(const HostRoutes& routes, std::size_t count, Permutation&& permutation) {
  std::vector<PermutationRisk> risks(count);
  tbb::enumerable_thread_specific<FlowCounts> scratch;
  parallel_for(count, [&](std::size_t i) { risks[i] = count_flows(routes, permutation(i), scratch.local()); });
  RiskDistribution result;
  for (const PermutationRisk& risk : risks) {
    result.mu.push_back(risk.mu);
    result.unrouted += risk.unrouted;
  }
  return result;
}

}  // namespace

PermutationRisk congestion_risk(const HostRoutes& routes, std::span<const std::uint32_t> destination) {
  check(destination.size() == routes.num_hosts(), "congestion_risk: a permutation of other hosts");
  FlowCounts flows;
  return count_flows(routes, destination, flows);
}

std::uint32_t RiskDistribution::max() const { return mu.empty() ? 0 : *std::max_element(mu.begin(), mu.end()); }

std::uint32_t RiskDistribution::min() const { return mu.empty() ? 0 : *std::min_element(mu.begin(), mu.end()); }

double RiskDistribution::mean() const {
  if (mu.empty()) return 0;
  return static_cast<double>(std::accumulate(mu.begin(), mu.end(), std::uint64_t{0})) / static_cast<double>(mu.size());
}

double RiskDistribution::quantile(double q) const {
  if (mu.empty()) return 0;
  std::vector<std::uint32_t> sorted = mu;
  std::sort(sorted.begin(), sorted.end());
  const double place = q * static_cast<double>(sorted.size() - 1);
  const std::size_t below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double fraction = place - static_cast<double>(below);
  return sorted[below] * (1 - fraction) + sorted[above] * fraction;
}

RiskDistribution shift_risk(const HostRoutes& routes, std::uint32_t step) {
  const std::vector<std::uint32_t> distances = shift_distances(routes.num_hosts(), step);
  return risk_of_all(routes, distances.size(),
                     [&](std::size_t i) { return shift_permutation(routes.num_hosts(), distances[i]); });
}

RiskDistribution random_risk(const HostRoutes& routes, std::uint32_t r, std::uint64_t seed) {
  return risk_of_all(routes, r, [&](std::size_t i) {
    return random_permutation(routes.num_hosts(), seed, static_cast<std::uint32_t>(i));
  });
}

}  // namespace espalier
