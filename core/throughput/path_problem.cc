// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/throughput/path_problem.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace espalier {

namespace {

// The detours of a flow as one path.
void add_tied(const PathProblem& problem, std::span<const std::size_t> detours, PathProblem& tied) {
  std::map<std::uint32_t, double> crossed;
  double sum = 0;
  for (const std::size_t path : detours) {
    sum += problem.detours[path];
    for (const std::uint32_t e : problem.resources(path)) crossed[e] += problem.detours[path];
  }
  for (const auto& [e, share] : crossed) {
    tied.add_step(e);
    tied.shares.push_back(share / sum);
  }
  tied.end_path();
}

}  // namespace

PathProblem with_tied_detours(const PathProblem& problem) {
  PathProblem tied;
  tied.capacity = problem.capacity;
  for (std::size_t f = 0; f < problem.num_flows(); ++f) {
    std::vector<std::size_t> detours;
    for (std::size_t p = problem.first_path[f]; p < problem.first_path[f + 1]; ++p) {
      if (problem.detours[p] != 0) {
        detours.push_back(p);
        continue;
      }
      for (const std::uint32_t e : problem.resources(p)) {
        tied.add_step(e);
        tied.shares.push_back(1);
      }
      tied.end_path();
    }
    if (!detours.empty()) add_tied(problem, detours, tied);
    tied.end_flow(problem.demand[f]);
  }
  return tied;
}

std::vector<double> untied_rates(const PathProblem& problem, const PathProblem& tied, std::span<const double> rates) {
  std::vector<double> untied(problem.num_paths(), 0);
  for (std::size_t f = 0; f < problem.num_flows(); ++f) {
    double sum = 0;
    for (std::size_t p = problem.first_path[f]; p < problem.first_path[f + 1]; ++p) sum += problem.detours[p];
    std::size_t next = tied.first_path[f];
    for (std::size_t p = problem.first_path[f]; p < problem.first_path[f + 1]; ++p)
      untied[p] =
          problem.detours[p] != 0 ? rates[tied.first_path[f + 1] - 1] * problem.detours[p] / sum : rates[next++];
  }
  return untied;
}

double unit_of_demand(const PathProblem& problem) {
  std::vector<double> load(problem.capacity.size(), 0);
  double most = 0;
  for (std::size_t f = 0; f < problem.num_flows(); ++f)
    if (problem.first_path[f] != problem.first_path[f + 1])
      for (std::size_t i = problem.first_step[problem.first_path[f]]; i < problem.first_step[problem.first_path[f] + 1];
           ++i) {
        const std::uint32_t e = problem.steps[i];
        load[e] += problem.demand[f] * (problem.shares.empty() ? 1 : problem.shares[i]);
        most = std::max(most, load[e] / problem.capacity[e]);
      }
  return most > 0 ? most : 1;
}

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
