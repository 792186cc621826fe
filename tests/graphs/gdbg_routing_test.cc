// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/graphs/gdbg_routing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/fabric/generators/regular_graphs.h"
#include "core/graphs/metrics.h"
#include "core/graphs/path_sets.h"

namespace espalier {
namespace {

using ::testing::HasSubstr;

constexpr RegularGraph kSizes[] = {{2, 2},  {6, 2},   {7, 3},    {8, 2},     {9, 9},
                                   {37, 3}, {150, 8}, {100, 16}, {101, 100}, {401, 20}};

DirectNetworkSpec spec_of(RegularGraph g) {
  return direct_network(DirectNetworkSpec::Kind::kDeBruijn,
                        {{static_cast<unsigned>(g.n), static_cast<unsigned>(g.r), 1}})
      .value();
}
Digraph directed(RegularGraph g) { return digraph_of(make_direct_network(spec_of(g)).value()); }

TEST(GdbgRouting, knows_every_walk) {
  for (const RegularGraph g : {RegularGraph{6, 2}, RegularGraph{150, 8}, RegularGraph{37, 3}}) {
    const Digraph graph(g.n, de_bruijn_graph(static_cast<std::uint32_t>(g.n), static_cast<std::uint32_t>(g.r)).value());
    for (std::uint64_t u = 0; u < g.n; ++u) {
      // Walks of each length, counted arc by arc.
      std::vector<std::uint64_t> walks(g.n);
      walks[u] = 1;
      const std::vector<std::uint32_t> distance = graph.distances(id_at<NodeId>(u));
      for (std::uint32_t h = 1; h <= gdbg_diameter(g); ++h) {
        std::vector<std::uint64_t> longer(g.n);
        for (const NodeId v : graph.nodes())
          for (const NodeId w : graph.heads(v)) longer[index(w)] += walks[index(v)];
        walks = longer;
        for (std::uint64_t d = 0; d < g.n; ++d) {
          ASSERT_EQ(gdbg_walks(g, u, d, h), walks[d]) << u << " to " << d << " in " << h;
          for (std::uint64_t i = 0; i < walks[d]; ++i) {
            std::uint64_t at = u;
            std::uint64_t left = i;
            for (std::uint32_t hop = h; hop > 0; --hop, left = 0) at = gdbg_next_hop(g, at, d, hop, left).value_or(g.n);
            if (i == 0) {
              ASSERT_EQ(at, d);
            }
          }
          EXPECT_FALSE(gdbg_next_hop(g, u, d, h, walks[d]));
        }
      }
      for (std::uint64_t d = 0; d < g.n; ++d) {
        std::uint32_t h = 0;
        while (h > 0 ? gdbg_walks(g, u, d, h) == 0 : u != d) ++h;
        EXPECT_EQ(h, distance[d]);
      }
    }
  }
}

// One path for each pair, of the arcs of the rule and no others; shortest among the directed ones, so at most as long as
// Lemma 7 says; and what remains of it at each of its nodes is the path of that node.
void expect_algebraic_paths(const Digraph& graph, RegularGraph g) {
  const Digraph arcs = directed(g);
  const PathRule rule = adapted_to(graph, parse_path_rule("gdbg").value()).value();
  PathFinder finder(graph);
  for (const NodeId s : graph.nodes()) {
    const std::vector<std::uint32_t> distance = arcs.distances(s);
    for (const NodeId d : graph.nodes()) {
      if (s == d) continue;
      const std::vector<GraphPath> paths = finder.paths(s, d, rule);
      ASSERT_EQ(paths.size(), 1U);
      ASSERT_EQ(paths[0].size(), distance[index(d)]);
      ASSERT_LE(paths[0].size(), gdbg_diameter(g));
      NodeId at = s;
      for (const ArcId a : paths[0]) {
        ASSERT_EQ(graph.tail(a), at);
        at = graph.head(a);
        ASSERT_LT((index(at) + g.n * g.r - index(graph.tail(a)) * g.r) % g.n, g.r);
        if (at != d && a == paths[0].front()) {
          const GraphPath rest(paths[0].begin() + 1, paths[0].end());
          ASSERT_EQ(finder.paths(at, d, rule), std::vector<GraphPath>{rest});
        }
      }
      ASSERT_EQ(at, d);
    }
  }
}

TEST(GdbgRouting, gives_one_shortest_path_for_each_pair) {
  for (const RegularGraph g : kSizes) expect_algebraic_paths(directed(g), g);
}

TEST(GdbgRouting, uses_cables_in_the_direction_of_their_arcs) {
  for (const RegularGraph g : {RegularGraph{6, 2}, RegularGraph{37, 3}, RegularGraph{150, 8}})
    expect_algebraic_paths(digraph_of(generate_direct_network(spec_of(g)).value()), g);
}

TEST(GdbgRouting, recognizes_its_graphs_and_no_others) {
  for (const RegularGraph g : kSizes) {
    const auto known = recognize_gdbg(directed(g));
    ASSERT_TRUE(known) << g.n << "," << g.r;
    EXPECT_EQ(known->n, g.n);
    EXPECT_EQ(known->r, g.r) << g.n;
  }
  std::vector<Arc> arcs = de_bruijn_graph(37, 3).value();
  std::vector<Arc> other = arcs;
  other.erase(other.begin() + 50);
  EXPECT_FALSE(recognize_gdbg(Digraph(37, other)));
  other = arcs;
  other.emplace_back(1, 20);
  EXPECT_FALSE(recognize_gdbg(Digraph(37, other)));
  other = arcs;
  for (auto& [from, to] : other) from = (from + 1) % 37, to = (to + 1) % 37;
  EXPECT_FALSE(recognize_gdbg(Digraph(37, other)));
  EXPECT_FALSE(recognize_gdbg(Digraph(1, {{0, 0}})));
  EXPECT_FALSE(recognize_gdbg(Digraph(3, {})));
  EXPECT_FALSE(recognize_gdbg(Digraph(30, kautz_graph(5, 2).value())));
  EXPECT_THAT(adapted_to(Digraph(3, {}), {PathRule::Kind::kDeBruijn}).error().message,
              HasSubstr("no generalized de Bruijn graph"));
}

// Loads as a program apart from this one counts them; with the first walk of each node they would be 131, 25 and 369.
TEST(GdbgRouting, loads_arcs_evenly) {
  for (const auto& [g, load] : {std::pair(RegularGraph{150, 8}, 73), {{100, 16}, 16}, {{500, 16}, 117}}) {
    const Digraph graph = directed(g);
    const PathMetrics metrics = path_metrics(graph, adapted_to(graph, {PathRule::Kind::kDeBruijn}).value());
    EXPECT_EQ(metrics.least_paths, 1);
    EXPECT_EQ(metrics.most_paths, 1);
    EXPECT_NEAR(metrics.mean_length, distances(graph).mean, 1e-12);
    EXPECT_EQ(metrics.max_load, load);
  }
}

}  // namespace
}  // namespace espalier
