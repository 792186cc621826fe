// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/throughput/water_filling.h"

#include <algorithm>
#include <vector>

#include "core/analysis/congestion/progressive_filling.h"

namespace espalier {
namespace {

// Each flow at its demand, divided evenly among its paths.
ResourceShares even_shares(const PathProblem& problem) {
  ResourceShares shares;
  for (std::size_t f = 0; f < problem.num_flows(); ++f) {
    const double share = problem.demand[f] / (problem.first_path[f + 1] - problem.first_path[f]);
    std::vector<std::uint32_t> crossed;
    for (std::size_t p = problem.first_path[f]; p < problem.first_path[f + 1]; ++p)
      crossed.insert(crossed.end(), problem.resources(p).begin(), problem.resources(p).end());
    std::sort(crossed.begin(), crossed.end());
    for (std::size_t i = 0; i < crossed.size(); ++i) {
      if (i == 0 || crossed[i] != crossed[i - 1]) shares.add(crossed[i], 0);
      shares.parts.back().share += share;
    }
    shares.end_flow();
  }
  return shares;
}

}  // namespace

FlowRates water_filling(const PathProblem& problem) {
  const SharedRates rates = progressive_filling(even_shares(problem), problem.capacity);
  FlowRates result;
  result.bound_low = result.bound_high = rates.least;
  for (std::size_t f = 0; f < problem.num_flows(); ++f) {
    const std::uint32_t count = problem.first_path[f + 1] - problem.first_path[f];
    result.of_path.insert(result.of_path.end(), count, rates.of_flow[f] * problem.demand[f] / count);
  }
  sum_paths(problem, result);
  return result;
}

}  // namespace espalier
