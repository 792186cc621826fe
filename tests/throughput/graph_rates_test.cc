// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Maximum concurrent flow on generalized de Bruijn and random regular graphs, paths restricted: Faizian 2018, 3.4.2 ("shift"
// and "permutation" between switches, unit arcs). Brackets that an independent solver found are met by ours.
//
// The dissertation averages over 20 to 200 samples; these are single graphs and patterns.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/analysis/congestion/traffic.h"
#include "core/fabric/generators/regular_graphs.h"
#include "core/throughput/concurrent_flow.h"
#include "core/throughput/fabric_paths.h"

namespace espalier {
namespace {

std::vector<Flow> flows_to(const std::vector<std::uint32_t>& to) {
  std::vector<Flow> flows;
  for (std::uint32_t i = 0; i < to.size(); ++i)
    if (to[i] != i) flows.push_back({i, to[i], 1});
  return flows;
}
std::vector<Flow> shift(const Digraph& graph, std::uint32_t k) {
  return flows_to(shift_permutation(graph.num_nodes(), k));
}
std::vector<Flow> permutation(const Digraph& graph) { return flows_to(random_permutation(graph.num_nodes(), 1001, 0)); }

Digraph de_bruijn(std::uint32_t nodes) { return {nodes, de_bruijn_graph(nodes, 16).value()}; }

Digraph random_regular(std::uint32_t nodes) {
  std::vector<Arc> arcs = random_regular_graph(nodes, 16, 1001).value();
  const std::vector<Arc> edges = arcs;
  for (const auto& [a, b] : edges) arcs.emplace_back(b, a);
  return {nodes, arcs};
}

constexpr PathRule kAllPath3{PathRule::Kind::kAllUpTo, 3};
PathRule shortest(std::uint32_t k, KspTies ties) { return {PathRule::Kind::kKShortest, k, ties, 1001}; }

// Nodes as hosts of infinite bandwidth, arcs of capacity 1 (Faizian 2018, 3.6.1). A flow to itself has no path.
PathProblem graph_paths(const Digraph& graph, std::span<const Flow> flows, const PathRule& rule) {
  PathProblem problem;
  problem.capacity.assign(graph.num_arcs(), 1);
  PathFinder finder(graph);
  for (const Flow& flow : flows) {
    if (flow.source != flow.destination)
      for (const GraphPath& path : finder.paths(NodeId{flow.source}, NodeId{flow.destination}, rule)) {
        for (const ArcId a : path) problem.add_step(static_cast<std::uint32_t>(a));
        problem.end_path();
      }
    problem.end_flow(flow.weight);
  }
  return problem;
}

FlowRates rates(const Digraph& graph, const std::vector<Flow>& flows, const PathRule& rule) {
  return approximate_concurrent_flow(graph_paths(graph, flows, rule), 0.05);
}
// Whether the brackets have a rate in common.
testing::AssertionResult overlaps(const FlowRates& found, double low, double high) {
  if (found.bound_low <= high && found.bound_high >= low) return testing::AssertionSuccess();
  return testing::AssertionFailure() << found.bound_low << " to " << found.bound_high;
}

TEST(DeBruijnRates, of_shifts_are_within_the_known_brackets) {
  EXPECT_TRUE(overlaps(rates(de_bruijn(500), shift(de_bruijn(500), 1), kAllPath3), 4.11, 4.22));
  const Digraph graph = de_bruijn(900);
  EXPECT_TRUE(overlaps(rates(graph, shift(graph, 1), kAllPath3), 2.32, 2.37));
  EXPECT_TRUE(overlaps(rates(graph, shift(graph, 37), kAllPath3), 3.01, 3.07));
  EXPECT_TRUE(overlaps(rates(graph, shift(graph, 123), kAllPath3), 2.12, 2.17));
  EXPECT_TRUE(overlaps(rates(graph, shift(graph, 450), kAllPath3), 2.26, 2.30));
  EXPECT_TRUE(overlaps(rates(graph, shift(graph, 611), kAllPath3), 2.02, 2.06));
}

// Another permutation than the one of the known bracket, 1.99 to 2.02.
TEST(DeBruijnRates, of_a_permutation_are_near_the_known_bracket) {
  const Digraph graph = de_bruijn(900);
  EXPECT_TRUE(overlaps(rates(graph, permutation(graph), kAllPath3), 1.99 * 0.95, 2.02 * 1.05));
}

// Chapter 3 finds 1.00 for random regular graphs. That is what ties by node numbers give, where all k paths of some pair
// share an arc.
TEST(RandomRegularRates, are_one_with_ties_by_node_numbers) {
  const Digraph graph = random_regular(900);
  for (const auto& [k, flows] :
       {std::pair{5U, shift(graph, 1)}, {5U, shift(graph, 123)}, {4U, shift(graph, 123)}, {5U, permutation(graph)}})
    EXPECT_TRUE(overlaps(rates(graph, flows, shortest(k, KspTies::kLex)), 1.00, 1.00)) << k;
}

// With random or edge-disjoint ties the same graphs are near GDBG. Other graphs than those of the known brackets: 1.99 to
// 2.02 and 1.79 to 1.81 under a shift, 1.99 to 2.01 under a permutation; 500 nodes 2.98 to 3.18 in two graphs.
TEST(RandomRegularRates, are_near_the_known_brackets_with_random_ties) {
  const Digraph graph = random_regular(900);
  EXPECT_TRUE(overlaps(rates(graph, shift(graph, 1), shortest(5, KspTies::kRandom)), 1.99 * 0.95, 2.02 * 1.05));
  EXPECT_TRUE(overlaps(rates(graph, shift(graph, 1), shortest(4, KspTies::kRandom)), 1.79 * 0.95, 1.81 * 1.05));
  EXPECT_TRUE(overlaps(rates(graph, permutation(graph), shortest(5, KspTies::kRandom)), 1.99 * 0.95, 2.01 * 1.05));
  const Digraph small = random_regular(500);
  EXPECT_TRUE(overlaps(rates(small, shift(small, 1), shortest(8, KspTies::kRandom)), 2.98 * 0.95, 3.18 * 1.05));
}

TEST(RandomRegularRates, are_no_lower_with_edge_disjoint_ties) {
  const Digraph graph = random_regular(900);
  const FlowRates random = rates(graph, shift(graph, 123), shortest(5, KspTies::kRandom));
  const FlowRates disjoint = rates(graph, shift(graph, 123), shortest(5, KspTies::kEdgeDisjoint));
  EXPECT_GE(random.bound_low, 1.7);
  EXPECT_GE(disjoint.bound_low, random.bound_low * 0.95);
}

// What a simulator that takes one of the paths at random for each packet can carry: one over the fullest arc's load.
double uniform_rate(const Digraph& graph, const PathRule& rule) {
  const PathProblem problem = graph_paths(graph, shift(graph, 1), rule);
  std::vector<double> load(problem.capacity.size());
  for (std::size_t f = 0; f < problem.num_flows(); ++f)
    for (std::size_t path = problem.first_path[f]; path < problem.first_path[f + 1]; ++path)
      for (const std::uint32_t e : problem.resources(path))
        load[e] += 1.0 / (problem.first_path[f + 1] - problem.first_path[f]);
  return 1 / *std::max_element(load.begin(), load.end());
}

TEST(UniformSplit, carries_more_than_twice_on_gdbg) {
  EXPECT_NEAR(uniform_rate(de_bruijn(500), kAllPath3), 2.29, 0.005);
  const double random = uniform_rate(random_regular(500), shortest(8, KspTies::kRandom));
  const double lex = uniform_rate(random_regular(500), shortest(8, KspTies::kLex));
  EXPECT_NEAR(random, 1.00, 0.15);
  EXPECT_GE(lex, 0.6);  // 0.67 to 0.89 in two graphs
  EXPECT_LE(lex, random);
}

}  // namespace
}  // namespace espalier
