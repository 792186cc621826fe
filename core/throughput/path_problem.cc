// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/throughput/path_problem.h"

#include <numeric>

namespace espalier {

double jain_index(std::span<const double> rates) {
  const double sum = std::reduce(rates.begin(), rates.end());
  const double squares = std::inner_product(rates.begin(), rates.end(), rates.begin(), 0.0);
  return squares == 0 ? 1 : sum * sum / (squares * static_cast<double>(rates.size()));
}

void sum_paths(const PathProblem& problem, FlowRates& rates) {
  rates.of_flow.assign(problem.num_flows(), 0);
  for (std::size_t f = 0; f < problem.num_flows(); ++f)
    for (std::size_t p = problem.first_path[f]; p < problem.first_path[f + 1]; ++p)
      rates.of_flow[f] += rates.of_path[p];
}

}  // namespace espalier
