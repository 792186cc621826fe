// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The same rates over many paths: nothing is lost of what linear programs found.
#include "core/throughput/path_spread.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/throughput/linear_program.h"
#include "tests/throughput/random_problem.h"

namespace espalier {
namespace {

PathProblem random_paths(std::uint64_t seed) {
  return test::random_problem({.resources = 16, .flows = 20, .most_paths = 6, .most_steps = 4}, seed);
}

// One flow over paths of a resource each.
PathProblem parallel_paths(const std::vector<double>& capacity) {
  PathProblem problem;
  problem.capacity = capacity;
  for (std::uint32_t e = 0; e < capacity.size(); ++e) {
    problem.add_step(e);
    problem.end_path();
  }
  problem.end_flow();
  return problem;
}

double entropy(const FlowRates& rates) {
  double sum = 0;
  for (const double rate : rates.of_path)
    if (rate > 0) sum -= rate * std::log(rate);
  return sum;
}

void expect_same_rates(const PathProblem& problem, const FlowRates& spread, const FlowRates& exact) {
  FlowRates sums = spread;
  sum_paths(problem, sums);
  for (std::size_t f = 0; f < problem.num_flows(); ++f) EXPECT_NEAR(sums.of_flow[f], exact.of_flow[f], 1e-9);
  std::vector<double> load(problem.capacity.size());
  for (std::size_t p = 0; p < problem.num_paths(); ++p) {
    EXPECT_GE(spread.of_path[p], 0);
    for (const std::uint32_t e : problem.resources(p)) load[e] += spread.of_path[p];
  }
  for (std::size_t e = 0; e < load.size(); ++e) EXPECT_LE(load[e], problem.capacity[e] * (1 + 1.2e-4));
}

TEST(PathSpread, keeps_exact_rates_and_uses_no_fewer_paths) {
  int spread_out = 0;
  for (std::uint64_t seed = 5000; seed < 5100; ++seed) {
    const PathProblem problem = random_paths(seed);
    for (auto* const solve : {&maximum_concurrent_flow, &max_min_fair_rates}) {
      const FlowRates exact = (*solve)(problem, nullptr).value();
      FlowRates spread = exact;
      spread_over_paths(problem, spread);
      EXPECT_EQ(spread.of_flow, exact.of_flow);
      expect_same_rates(problem, spread, exact);
      EXPECT_GE(entropy(spread), entropy(exact) - 1e-3) << seed;
      spread_out += entropy(spread) > entropy(exact) + 0.1 ? 1 : 0;
    }
  }
  EXPECT_GE(spread_out, 100);
}

TEST(PathSpread, is_even_where_nothing_is_full) {
  const PathProblem problem = parallel_paths({1, 1, 1, 1, 1});
  FlowRates rates{{1, 1, 0, 0, 0}, {2}};
  spread_over_paths(problem, rates);
  for (const double rate : rates.of_path) EXPECT_NEAR(rate, 0.4, 1e-12);
}

TEST(PathSpread, fills_what_is_too_narrow_for_an_even_part) {
  const PathProblem problem = parallel_paths({0.1, 0.1, 9, 9, 9});
  FlowRates rates{{0, 0, 5, 0, 0}, {5}};
  spread_over_paths(problem, rates);
  for (std::size_t p = 0; p < 5; ++p) EXPECT_NEAR(rates.of_path[p], p < 2 ? 0.1 : 1.6, 0.01) << p;
}

TEST(PathSpread, has_detours_by_the_switches_that_lead_to_them) {
  PathProblem problem = parallel_paths({1, 1, 1, 1});
  problem.detours = {0, 1, 2, 4};
  FlowRates rates{{0, 0, 0, 0.8}, {0.8}};
  spread_over_paths(problem, rates);
  for (std::size_t p = 0; p < 4; ++p) EXPECT_NEAR(rates.of_path[p], 0.1 * std::max(1U, problem.detours[p]), 1e-12);
}

// The second flow needs all of resource 1, so the first one's path over it has to stay empty: its length is infinite.
TEST(PathSpread, leaves_paths_empty_that_have_to_be) {
  for (const bool known : {true, false}) {
    PathProblem problem = parallel_paths({3, 1, 3});
    problem.add_step(1);
    problem.end_path();
    problem.end_flow();
    FlowRates rates{{3, 0, 0, 1}, {3, 1}};
    if (known) rates.never_used = {0, 1, 0, 0};
    spread_over_paths(problem, rates);
    EXPECT_NEAR(rates.of_path[0], 1.5, 2e-4);
    EXPECT_NEAR(rates.of_path[1], 0, 1.2e-4);
    EXPECT_NEAR(rates.of_path[2], 1.5, 2e-4);
    EXPECT_EQ(rates.of_path[3], 1);
  }
}

TEST(PathSpread, leaves_flows_alone_that_have_no_path_or_no_rate) {
  PathProblem problem;
  problem.capacity = {1};
  problem.end_flow();
  problem.add_step(0);
  problem.end_path();
  problem.end_flow();
  FlowRates rates{{0}, {0, 0}};
  spread_over_paths(problem, rates);
  EXPECT_EQ(rates.of_path, std::vector<double>{0});
}

}  // namespace
}  // namespace espalier
