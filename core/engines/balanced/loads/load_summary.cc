// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/balanced/loads/load_summary.h"

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <tuple>

#include "core/engines/balanced/parameters.h"

namespace espalier {
namespace {

double weighted(const LoadSummary& s) {
  const auto log_of = [](double figure) { return figure > 0 ? std::log(figure) : 0.0; };
  return s.weights.shifts / 2 * (log_of(s.worst_shift) + log_of(s.mean_shift)) + s.weights.random * log_of(s.random) +
         s.weights.known_flows * log_of(s.known_flows);
}

// P(X > m) for a Poisson distributed X. (Not by std::lgamma, which is not for several threads.)
double poisson_tail(double mean, int m) { return boost::math::gamma_p(m + 1.0, mean); }

}  // namespace

bool is_worse(const LoadSummary& a, const LoadSummary& b) {
  if (b.known_flows > 0) return weighted(a) > weighted(b);
  return a.worst_shift > b.worst_shift || a.mean_shift > b.mean_shift * kBalanced.tolerance ||
         a.random > b.random * kBalanced.tolerance;
}

bool is_better(const LoadSummary& a, const LoadSummary& b) {
  if (b.known_flows > 0) return weighted(a) + std::log(kBalanced.tolerance) < weighted(b);
  return !is_worse(a, b) && (a.worst_shift < b.worst_shift || a.mean_shift * kBalanced.tolerance < b.mean_shift ||
                             a.random * kBalanced.tolerance < b.random);
}

bool is_preferable(const LoadSummary& a, const LoadSummary& b) {
  if (b.known_flows > 0) return weighted(a) < weighted(b);
  const auto key = [](const LoadSummary& s) {
    return std::tuple(s.worst_shift, std::ceil(s.random + kBalanced.random_margin), s.mean_shift);
  };
  return key(a) < key(b);
}

double likely_maximum(const std::vector<std::uint32_t>& channels, double steps_per_flow) {
  const auto expected_above = [&](int m) {
    double sum = 0;
    for (std::size_t step = 1; step < channels.size(); ++step)
      if (channels[step] != 0) sum += channels[step] * poisson_tail(static_cast<double>(step) / steps_per_flow, m);
    return sum;
  };
  const double even = std::log(2.0);
  int m = static_cast<int>(static_cast<double>(channels.size()) / steps_per_flow);
  double above = expected_above(m);
  if (above <= even) return m;
  for (;; ++m) {
    const double next = expected_above(m + 1);
    if (next <= even) return m + std::log(above / even) / std::log(above / std::max(next, 1e-30));
    above = next;
  }
}

}  // namespace espalier
