// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// mu of many phases of traffic, and what is usually told of it (Gliksberg 2022, 2.3.2).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/base/parallel.h"
#include "core/base/progress.h"

namespace espalier {

// Of one phase. In shares: HostRoutes::shares_per_flow() of them are a flow.
struct PhaseRisk {
  std::uint32_t mu = 0;        // 0: no flow leaves its leaf
  std::uint64_t unrouted = 0;  // what does not arrive (not counted as load)
  // The most flows of a channel by what it carries, in 1/1000 (capacities.h); mu x 1000 where all channels carry 1.
  std::uint32_t mu_per_capacity = 0;
};

struct RiskDistribution {
  std::vector<std::uint32_t> mu;                    // per phase, in shares, in the order of the pattern
  std::uint64_t unrouted = 0;                       // of all phases, in shares
  std::uint32_t shares_per_flow = 1;                // what the figures below are divided by
  std::vector<std::uint32_t> mu_per_capacity = {};  // per phase, in 1/1000 flows

  // The same figures of mu_per_capacity.
  [[nodiscard]] RiskDistribution per_capacity() const { return {mu_per_capacity, unrouted, 1000}; }

  // In flows; all 0 when there was no phase. Quantiles are linearly interpolated between neighbors in the sorted list
  // ("type 7", as numpy and R do it).
  [[nodiscard]] double max() const;
  [[nodiscard]] double mean() const;
  [[nodiscard]] double median() const { return quantile(0.5); }
  // REQUIRES: 0 <= q <= 1. Quartiles: 1/4 and 3/4; the 1st and 39th 40-quantile, 1/40 and 39/40, enclose 95 %.
  [[nodiscard]] double quantile(double q) const;
  // Of the mean: standard deviation (n - 1) by the square root of n. 0 for less than two phases.
  [[nodiscard]] double standard_error() const;
};

// The least number of draws before the standard error is looked at, and the number between one look and the next.
inline constexpr std::size_t kDrawsPerLook = 100;

// Joins risk_of(0), risk_of(1), ...: `count` of them, or, with a standard error above 0, as soon as the mean is known
// that well; `count` is the most then. The same whatever the threads.
template <class RiskOf>
[[nodiscard]] RiskDistribution collect_risks(std::size_t count, double standard_error, std::uint32_t shares_per_flow,
                                             Progress* progress, const RiskOf& risk_of) {
  RiskDistribution result{{}, 0, shares_per_flow};
  begin(progress, count);
  const std::size_t step = standard_error > 0 ? kDrawsPerLook : std::max<std::size_t>(count, 1);
  while (result.mu.size() < count) {
    const std::size_t first = result.mu.size();
    std::vector<PhaseRisk> risks(std::min(step, count - first));
    parallel_for(risks.size(), [&](std::size_t i) {
      risks[i] = risk_of(first + i);
      advance(progress);
    });
    for (const PhaseRisk& risk : risks) {
      result.mu.push_back(risk.mu);
      result.mu_per_capacity.push_back(risk.mu_per_capacity);
      result.unrouted += risk.unrouted;
    }
    if (standard_error > 0 && result.standard_error() <= standard_error) break;
  }
  return result;
}

}  // namespace espalier
