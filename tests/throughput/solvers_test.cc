// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The models against each other: linear programs, the approximation, progressive filling.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/throughput/concurrent_flow.h"
#include "core/throughput/linear_program.h"
#include "core/throughput/water_filling.h"
#include "tests/throughput/random_problem.h"

namespace espalier {
namespace {

PathProblem random_problem(std::uint64_t seed, unsigned most_paths) {
  return test::random_problem({.resources = 20, .flows = 12, .most_paths = most_paths, .most_steps = 5}, seed);
}

void expect_feasible(const PathProblem& problem, const FlowRates& rates) {
  std::vector<double> load(problem.capacity.size());
  std::vector<double> of_flow(problem.num_flows());
  for (std::size_t f = 0; f < problem.num_flows(); ++f)
    for (std::size_t p = problem.first_path[f]; p < problem.first_path[f + 1]; ++p) {
      EXPECT_GE(rates.of_path[p], 0);
      of_flow[f] += rates.of_path[p];
      for (const std::uint32_t e : problem.resources(p)) load[e] += rates.of_path[p];
    }
  for (std::size_t e = 0; e < load.size(); ++e) EXPECT_LE(load[e], problem.capacity[e] * (1 + 1e-6));
  for (std::size_t f = 0; f < of_flow.size(); ++f) EXPECT_NEAR(of_flow[f], rates.of_flow[f], 1e-9);
}

double least(const PathProblem& problem, const FlowRates& rates) {
  double least = 1e9;
  for (std::size_t f = 0; f < problem.num_flows(); ++f) least = std::min(least, rates.of_flow[f] / problem.demand[f]);
  return least;
}

TEST(Solvers, tied_detours_are_a_division_that_single_rates_can_only_better) {
  for (std::uint64_t seed = 2000; seed < 2040; ++seed) {
    PathProblem problem = random_problem(seed, 6);
    for (std::uint32_t p = 0; p < problem.num_paths(); ++p) problem.detours.push_back(1 + p % 3);
    for (std::size_t f = 0; f < problem.num_flows(); ++f) problem.detours[problem.first_path[f]] = 0;
    const PathProblem tied = with_tied_detours(problem);
    FlowRates rates = maximum_concurrent_flow(tied).value();
    rates.of_path = untied_rates(problem, tied, rates.of_path);
    expect_feasible(problem, rates);
    const double optimal = maximum_concurrent_flow(problem).value().bound_low;
    EXPECT_LE(rates.bound_low, optimal * (1 + 1e-9));
    // A flow's detours share a rate, by their weights.
    for (std::size_t f = 0; f < problem.num_flows(); ++f)
      for (std::size_t p = problem.first_path[f] + 2; p < problem.first_path[f + 1]; ++p)
        EXPECT_NEAR(rates.of_path[p] * problem.detours[p - 1], rates.of_path[p - 1] * problem.detours[p], 1e-9);
  }
}

TEST(Solvers, the_approximation_encloses_the_exact_answer) {
  for (std::uint64_t seed = 1000; seed < 1100; ++seed) {
    const PathProblem problem = random_problem(seed, 6);
    const FlowRates exact = maximum_concurrent_flow(problem).value();
    const FlowRates near = approximate_concurrent_flow(problem, 0.05);
    expect_feasible(problem, exact);
    expect_feasible(problem, near);
    EXPECT_NEAR(least(problem, exact), exact.bound_low, 1e-6);
    EXPECT_EQ(exact.bound_low, exact.bound_high);
    EXPECT_LE(near.bound_low, exact.bound_low * (1 + 1e-6)) << seed;
    EXPECT_GE(near.bound_high, exact.bound_low * (1 - 1e-6)) << seed;
    EXPECT_LE(near.bound_high, near.bound_low * 1.05) << seed;
    EXPECT_GE(least(problem, near), near.bound_low * (1 - 1e-9)) << seed;
  }
}

// A file of bytes has the answers of one of shares.
TEST(Solvers, do_not_depend_on_the_unit_of_demands) {
  for (std::uint64_t seed = 3000; seed < 3010; ++seed) {
    PathProblem problem = random_problem(seed, 6);
    const FlowRates concurrent = maximum_concurrent_flow(problem).value();
    const FlowRates fair = max_min_fair_rates(problem).value();
    const FlowRates near = approximate_concurrent_flow(problem, 0.05);
    for (const double unit : {1e-30, 1e-9, 1e9, 1e30}) {
      PathProblem other = problem;
      for (double& demand : other.demand) demand *= unit;
      const FlowRates concurrent_there = maximum_concurrent_flow(other).value();
      const FlowRates fair_there = max_min_fair_rates(other).value();
      EXPECT_NEAR(concurrent_there.bound_low * unit, concurrent.bound_low, 1e-6 * concurrent.bound_low);
      EXPECT_NEAR(approximate_concurrent_flow(other, 0.05).bound_low * unit, near.bound_low, 1e-6 * near.bound_low);
      for (std::size_t f = 0; f < problem.num_flows(); ++f) {
        EXPECT_NEAR(concurrent_there.of_flow[f], concurrent.of_flow[f], 1e-6) << seed << ' ' << unit;
        EXPECT_NEAR(fair_there.of_flow[f], fair.of_flow[f], 1e-5) << seed << ' ' << unit;
      }
    }
  }
}

// Two heavy flows share resource 1; a light one has what the first of them leaves of resource 0, also where its demand
// is a rounding error of theirs.
TEST(Solvers, light_flows_have_what_heavy_ones_leave) {
  for (const double heavy : {1e3, 1e9, 1e12, 1e20, 1e30}) {
    PathProblem problem;
    problem.capacity = {1, 1};
    for (const auto& [steps, demand] : {std::pair(std::vector{0U, 1U}, heavy), std::pair(std::vector{1U}, heavy),
                                        std::pair(std::vector{0U}, 1.0), std::pair(std::vector{0U}, 1.0)}) {
      for (const std::uint32_t e : steps) problem.add_step(e);
      problem.end_path();
      problem.end_flow(demand);
    }
    for (const FlowRates& fair : {max_min_fair_rates(problem).value(), water_filling(problem)})
      for (std::size_t f = 0; f < 4; ++f) EXPECT_NEAR(fair.of_flow[f], f < 2 ? 0.5 : 0.25, 1e-6) << heavy << ' ' << f;
  }
}

TEST(Solvers, light_flows_have_their_share_beside_heavy_ones) {
  for (const double heavy : {1e3, 1e9, 1e15, 1e18}) {
    PathProblem problem;
    problem.capacity = {1, 1};
    for (const double demand : {heavy, 1.0}) {
      for (const std::uint32_t e : {0U, 1U}) {
        problem.add_step(e);
        problem.end_path();
      }
      problem.end_flow(demand);
    }
    const FlowRates rates = maximum_concurrent_flow(problem).value();
    EXPECT_NEAR(rates.of_flow[1] / rates.of_flow[0], 1 / heavy, 1e-6 / heavy) << heavy;
    EXPECT_NEAR(rates.of_flow[0], 2 * heavy / (heavy + 1), 1e-6) << heavy;
  }
}

TEST(Solvers, fair_rates_of_single_paths_are_those_of_progressive_filling) {
  for (std::uint64_t seed = 1000; seed < 1050; ++seed) {
    const PathProblem problem = random_problem(seed, 1);
    const FlowRates exact = max_min_fair_rates(problem).value();
    const FlowRates filled = water_filling(problem);
    expect_feasible(problem, filled);
    for (std::size_t f = 0; f < problem.num_flows(); ++f)
      EXPECT_NEAR(exact.of_flow[f], filled.of_flow[f], 1e-5) << seed;
  }
}

// Max-min fair: the sorted rates of no other division are lexicographically larger, so no even split's are, and the
// least is that of the maximum concurrent flow.
TEST(Solvers, fair_rates_are_no_less_fair_than_any_we_can_make) {
  for (std::uint64_t seed = 1000; seed < 1050; ++seed) {
    const PathProblem problem = random_problem(seed, 6);
    const FlowRates fair = max_min_fair_rates(problem).value();
    expect_feasible(problem, fair);
    EXPECT_NEAR(least(problem, fair), maximum_concurrent_flow(problem).value().bound_low, 1e-5);
    const auto sorted = [&](const FlowRates& rates) {
      std::vector<double> levels;
      for (std::size_t f = 0; f < problem.num_flows(); ++f) levels.push_back(rates.of_flow[f] / problem.demand[f]);
      std::sort(levels.begin(), levels.end());
      return levels;
    };
    const std::vector<double> ours = sorted(fair), even = sorted(water_filling(problem));
    for (std::size_t i = 0; i < ours.size(); ++i) {
      ASSERT_GE(ours[i], even[i] - 1e-5) << seed;
      if (ours[i] > even[i] + 1e-5) break;
    }
  }
}

// Two flows, a over {0} or {1}, b over {1}. In the first optimum of the maximum concurrent flow a may be bound to
// resource 1 as well, and frozen with b; but a can have more over resource 0.
TEST(Solvers, a_flow_that_could_have_more_is_not_frozen) {
  PathProblem problem;
  problem.capacity = {3, 1};
  problem.add_step(0);
  problem.end_path();
  problem.add_step(1);
  problem.end_path();
  problem.end_flow();
  problem.add_step(1);
  problem.end_path();
  problem.end_flow();
  const FlowRates fair = max_min_fair_rates(problem).value();
  EXPECT_NEAR(fair.of_flow[0], 3, 1e-6);
  EXPECT_NEAR(fair.of_flow[1], 1, 1e-6);
}

TEST(Solvers, flows_without_paths_have_nothing_and_take_nothing) {
  PathProblem problem;
  problem.capacity = {1};
  problem.end_flow();
  for (const FlowRates& rates : {maximum_concurrent_flow(problem).value(), max_min_fair_rates(problem).value(),
                                 approximate_concurrent_flow(problem, 0.1), water_filling(problem)})
    EXPECT_EQ(rates.of_flow, std::vector<double>{0});
  problem.add_step(0);
  problem.end_path();
  problem.end_flow();
  for (const FlowRates& rates : {maximum_concurrent_flow(problem).value(), max_min_fair_rates(problem).value(),
                                 approximate_concurrent_flow(problem, 0.1), water_filling(problem)}) {
    EXPECT_EQ(rates.of_flow[0], 0);
    EXPECT_NEAR(rates.of_flow[1], 1, 0.01);
  }
}

TEST(Solvers, the_index_of_fairness_is_jains) {
  EXPECT_EQ(jain_index(std::vector<double>{2, 2, 2}), 1);
  EXPECT_NEAR(jain_index(std::vector<double>{5, 0, 0, 0}), 0.25, 1e-12);
}

}  // namespace
}  // namespace espalier
