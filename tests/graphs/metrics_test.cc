// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Figures of Faizian 2018, chapter 3, recomputed independently where the text gives only a picture.
#include "core/graphs/metrics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/fabric/generators/regular_graphs.h"
#include "core/graphs/bounds.h"

namespace espalier {
namespace {

struct Row {
  std::uint32_t n, r, h, diameter;
  double mean_distance, mean_paths;
  std::uint64_t least_paths, most_paths;
  double mean_length, max_load, mean_load, max_load_least, max_load_most;

  friend void PrintTo(const Row& row, std::ostream* out) { *out << "GDBG(" << row.n << ", " << row.r << ')'; }
};

class Gdbg : public ::testing::TestWithParam<Row> {};

TEST_P(Gdbg, has_the_distances_paths_and_loads_of_chapter_3) {
  const Row& row = GetParam();
  const Digraph graph(row.n, de_bruijn_graph(row.n, row.r).value());
  const RegularGraph g{row.n, row.r};
  ASSERT_EQ(gdbg_diameter(g), row.h);
  const Distances distance = distances(graph);
  EXPECT_EQ(distance.diameter, row.diameter);
  EXPECT_NEAR(distance.mean, row.mean_distance, 5e-5);
  const PathMetrics metrics = path_metrics(graph, {PathRule::Kind::kAllUpTo, row.h});
  EXPECT_NEAR(metrics.mean_paths, row.mean_paths, 5e-5);
  EXPECT_EQ(metrics.least_paths, static_cast<double>(row.least_paths));
  EXPECT_EQ(metrics.most_paths, static_cast<double>(row.most_paths));
  EXPECT_NEAR(metrics.mean_length, row.mean_length, 5e-5);
  EXPECT_NEAR(metrics.max_load, row.max_load, 5e-3);
  EXPECT_NEAR(metrics.mean_load, row.mean_load, 5e-3);
  EXPECT_NEAR(least_max_load(g), row.max_load_least, 5.1e-3);
  EXPECT_NEAR(gdbg_max_load(g), row.max_load_most, 5e-3);
  EXPECT_LE(metrics.max_load, gdbg_max_load(g));
  EXPECT_LE(static_cast<double>(gdbg_least_walks(g)), metrics.least_paths + 1);  // Lemma 9 is about walks
}

INSTANTIATE_TEST_SUITE_P(
    Metrics, Gdbg,
    ::testing::Values(Row{6, 2, 3, 3, 1.9333, 1.2667, 1, 2, 2.1053, 10.0, 6.30, 4.00, 17.0},
                      Row{150, 8, 3, 3, 2.4893, 3.7867, 2, 6, 2.8605, 63.35, 53.81, 45.88, 69.67},
                      Row{100, 16, 2, 2, 1.8404, 2.6586, 1, 4, 1.9400, 15.00, 12.20, 11.38, 16.50},
                      Row{500, 16, 3, 3, 2.4406, 8.6448, 7, 10, 2.9337, 96.96, 91.79, 75.56, 100.12},
                      Row{900, 16, 3, 3, 2.6859, 4.8157, 3, 6, 2.9338, 183.38, 165.56, 150.56, 200.25},
                      Row{901, 30, 3, 3, 1.9678, 30.8358, 28, 31, 2.9655, 90.89, 89.06, 59.00, 95.21},
                      Row{901, 20, 3, 3, 2.5215, 9.2974, 7, 11, 2.9476, 140.16, 132.89, 113.00, 155.12}),
    [](const auto& test) { return "n" + std::to_string(test.param.n) + "r" + std::to_string(test.param.r); });

TEST(Metrics, count_path_by_path_what_the_enumeration_of_each_pair_gives) {
  const Digraph graph(37, de_bruijn_graph(37, 3).value());
  PathFinder finder(graph);
  for (const PathRule& rule : {PathRule{}, PathRule{PathRule::Kind::kAllUpTo, 5}}) {
    std::vector<double> load(graph.num_arcs());
    std::uint64_t count = 0;
    for (const NodeId s : graph.nodes())
      for (const NodeId d : graph.nodes())
        if (s != d) {
          const auto paths = finder.paths(s, d, rule);
          count += paths.size();
          for (const GraphPath& path : paths)
            for (const ArcId a : path) load[index(a)] += 1.0 / static_cast<double>(paths.size());
        }
    const PathMetrics metrics = path_metrics(graph, rule);
    EXPECT_NEAR(metrics.mean_paths * 37 * 36, static_cast<double>(count), 1e-6);
    EXPECT_NEAR(metrics.max_load, *std::max_element(load.begin(), load.end()), 1e-9);
  }
}

// A pair has up to 2^3 15! / 5!^3 shortest paths, and all arcs are alike.
TEST(Metrics, shortest_paths_of_a_grid_are_not_visited_one_by_one) {
  std::vector<Arc> arcs = torus_graph({10, 10, 10});
  const std::vector<Arc> edges = arcs;
  for (const auto& [a, b] : edges) arcs.emplace_back(b, a);
  const PathMetrics metrics = path_metrics(Digraph(1000, arcs), {});
  EXPECT_EQ(metrics.least_paths, 1);
  EXPECT_EQ(metrics.most_paths, 8 * 756756);
  EXPECT_FALSE(metrics.left_some_out);
  EXPECT_NEAR(metrics.mean_load, 1250, 1e-6);
  EXPECT_NEAR(metrics.max_load, 1250, 1e-6);
}

TEST(Metrics, counts_of_paths_exceed_64_bits) {
  std::vector<Arc> doubled;  // a chain of 70 double arcs
  for (std::uint32_t u = 0; u < 70; ++u) doubled.insert(doubled.end(), 2, {u, u + 1});
  const PathMetrics metrics = path_metrics(Digraph(71, doubled), {});
  EXPECT_EQ(metrics.most_paths, std::ldexp(1, 70));
  EXPECT_NEAR(metrics.max_load, 36 * 35 / 2.0, 1e-9);
}

TEST(Metrics, count_of_paths_ends_where_it_is_told) {
  const Digraph triangle(3, {{0, 1}, {1, 2}, {2, 0}, {1, 0}, {2, 1}, {0, 2}});
  EXPECT_EQ(count_paths(triangle, NodeId{0}, 1, 100), 2U);
  EXPECT_EQ(count_paths(triangle, NodeId{0}, 2, 100), 4U);
  EXPECT_EQ(count_paths(triangle, NodeId{0}, 64, 100), 4U);
  EXPECT_EQ(count_paths(triangle, NodeId{0}, 64, 3), 3U);
}

TEST(Metrics, bisection_of_known_graphs) {
  const auto width = [](std::size_t n, std::vector<Arc> edges) {
    const std::vector<Arc> once = edges;
    for (const auto& [a, b] : once) edges.emplace_back(b, a);
    return bisection_width(Digraph(n, edges), 8, 1);
  };
  EXPECT_EQ(width(16, torus_graph({4, 4})), 8);     // 2 x 4
  EXPECT_EQ(width(8, hyperx_graph({8}, {1})), 16);  // (n/2)^2
  EXPECT_EQ(width(12, torus_graph({12})), 2);
  EXPECT_EQ(width(16, hyperx_graph({2, 2, 2, 2}, {3, 3, 3, 3})), 24);  // hypercube of triple links
}

}  // namespace
}  // namespace espalier
