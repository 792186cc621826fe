// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/congestion/risk_distribution.h"

#include <cmath>
#include <numeric>

namespace espalier {

double RiskDistribution::max() const {
  return mu.empty() ? 0 : static_cast<double>(*std::max_element(mu.begin(), mu.end())) / shares_per_flow;
}

double RiskDistribution::mean() const {
  if (mu.empty()) return 0;
  const auto sum = static_cast<double>(std::accumulate(mu.begin(), mu.end(), std::uint64_t{0}));
  return sum / static_cast<double>(mu.size()) / shares_per_flow;
}

double RiskDistribution::quantile(double q) const {
  if (mu.empty()) return 0;
  std::vector<std::uint32_t> sorted = mu;
  std::sort(sorted.begin(), sorted.end());
  const double place = q * static_cast<double>(sorted.size() - 1);
  const std::size_t below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double fraction = place - static_cast<double>(below);
  return (sorted[below] * (1 - fraction) + sorted[above] * fraction) / shares_per_flow;
}

double RiskDistribution::standard_error() const {
  if (mu.size() < 2) return 0;
  const double middle = mean();
  double squares = 0;
  for (const std::uint32_t value : mu) {
    const double distance = static_cast<double>(value) / shares_per_flow - middle;
    squares += distance * distance;
  }
  const auto n = static_cast<double>(mu.size());
  return std::sqrt(squares / (n - 1) / n);
}

}  // namespace espalier
