// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The graphs that generators are made of.
#include "core/fabric/generators/regular_graphs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/graphs/metrics.h"

namespace espalier {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Digraph undirected(std::size_t n, std::vector<Arc> edges) {
  const std::vector<Arc> once = edges;
  for (const auto& [a, b] : once) edges.emplace_back(b, a);
  return {n, std::move(edges)};
}

TEST(DeBruijn, has_the_arcs_of_figure_3_2) {
  const std::vector<Arc> arcs = de_bruijn_graph(6, 2).value();
  EXPECT_THAT(arcs, ElementsAre(Arc(0, 0), Arc(0, 1), Arc(1, 2), Arc(1, 3), Arc(2, 4), Arc(2, 5), Arc(3, 0), Arc(3, 1),
                                Arc(4, 2), Arc(4, 3), Arc(5, 4), Arc(5, 5)));
}

TEST(DeBruijn, has_at_most_2r_loops) {
  const std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> known{
      {{6, 2}, 2}, {{150, 8}, 8}, {{100, 16}, 20}, {{500, 16}, 20}, {{900, 16}, 30}, {{901, 30}, 30}, {{901, 20}, 20}};
  for (const auto& [size, loops] : known) {
    const auto [n, r] = size;
    EXPECT_EQ(count_loops(Digraph(n, de_bruijn_graph(n, r).value())), loops) << n << "," << r;
    EXPECT_LE(loops, 2 * r);
  }
}

TEST(Kautz, has_the_diameter_of_its_name_and_no_loops) {
  for (std::uint32_t d = 2; d <= 4; ++d)
    for (std::uint32_t diameter = 1; diameter <= 3; ++diameter) {
      const std::vector<Arc> arcs = kautz_graph(d, diameter).value();
      const Digraph graph(arcs.back().first + 1, arcs);
      std::size_t size = d + 1;
      for (std::uint32_t i = 1; i < diameter; ++i) size *= d;
      EXPECT_EQ(graph.num_nodes(), size);
      EXPECT_EQ(count_loops(graph), 0);
      EXPECT_EQ(distances(graph).diameter, diameter);
      EXPECT_EQ(distances(graph).unreached, 0);
    }
  EXPECT_THAT(kautz_graph(100, 9).error().message, HasSubstr("more than"));
}

TEST(SlimFly, is_regular_and_has_diameter_two) {
  for (const auto& [q, degree] : std::map<std::uint32_t, std::size_t>{{3, 5}, {5, 7}, {7, 11}, {11, 17}, {13, 19}}) {
    const Digraph graph = undirected(2 * q * q, slim_fly_graph(q).value());
    EXPECT_EQ(distances(graph).diameter, 2) << q;
    for (const NodeId u : graph.nodes()) ASSERT_EQ(graph.heads(u).size(), degree) << q;
  }
  for (const std::uint32_t q : {1U, 2U, 9U, 15U, 191U})
    EXPECT_THAT(slim_fly_graph(q).error().message, HasSubstr("odd prime")) << q;
}

TEST(RandomRegular, is_simple_regular_connected_and_repeatable) {
  for (const auto& [n, r] :
       std::vector<std::pair<std::uint32_t, std::uint32_t>>{{50, 7}, {20, 3}, {8, 7}, {11, 4}, {9, 3}})
    for (std::uint64_t seed = 1000; seed < 1020; ++seed) {
      const std::vector<Arc> edges = random_regular_graph(n, r, seed).value();
      EXPECT_EQ(std::set<Arc>(edges.begin(), edges.end()).size(), edges.size());
      EXPECT_EQ(edges.size(), std::size_t{n} * r / 2) << n << "," << r << " seed " << seed;
      for (const auto& [a, b] : edges) EXPECT_LT(a, b);
      EXPECT_EQ(distances(undirected(n, edges)).unreached, 0);
      EXPECT_EQ(random_regular_graph(n, r, seed).value(), edges);
    }
  EXPECT_NE(random_regular_graph(50, 7, 1).value(), random_regular_graph(50, 7, 2).value());
  EXPECT_THAT(random_regular_graph(5, 5, 1).error().message, HasSubstr("at most 4"));
  EXPECT_THAT(random_regular_graph(5, 1, 1).error().message, HasSubstr("disconnected"));
}

}  // namespace
}  // namespace espalier
