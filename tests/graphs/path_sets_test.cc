// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Against every simple path of small graphs, sorted.
#include "core/graphs/path_sets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/fabric/generators/regular_graphs.h"

namespace espalier {
namespace {

using Nodes = std::vector<std::uint32_t>;

void extend(const Digraph& graph, Nodes& path, std::uint32_t to, std::size_t most, std::vector<Nodes>& all) {
  if (path.back() == to) return all.push_back(path);
  if (path.size() > most) return;
  for (const NodeId next : graph.heads(NodeId{path.back()})) {
    const auto v = static_cast<std::uint32_t>(next);
    if (std::count(path.begin(), path.end(), v) > 0) continue;
    path.push_back(v);
    extend(graph, path, to, most, all);
    path.pop_back();
  }
}

std::vector<Nodes> every_path(const Digraph& graph, std::uint32_t from, std::uint32_t to, std::size_t most) {
  std::vector<Nodes> all;
  Nodes path{from};
  extend(graph, path, to, most, all);
  std::sort(all.begin(), all.end(),
            [](const Nodes& a, const Nodes& b) { return std::pair(a.size(), a) < std::pair(b.size(), b); });
  return all;
}

Nodes nodes_of(const Digraph& graph, const GraphPath& path) {
  Nodes nodes{static_cast<std::uint32_t>(graph.tail(path.front()))};
  for (const ArcId a : path) {
    EXPECT_EQ(static_cast<std::uint32_t>(graph.tail(a)), nodes.back());
    nodes.push_back(static_cast<std::uint32_t>(graph.head(a)));
  }
  return nodes;
}

std::vector<Digraph> graphs() {
  std::vector<Arc> random = random_regular_graph(12, 3, 1234).value();
  const std::vector<Arc> once = random;
  for (const auto& [a, b] : once) random.emplace_back(b, a);
  std::vector<Digraph> all;
  all.emplace_back(12, random);
  all.emplace_back(11, de_bruijn_graph(11, 2).value());
  return all;
}

TEST(PathSets, take_the_shortest_of_all_simple_paths) {
  for (const Digraph& graph : graphs()) {
    PathFinder finder(graph);
    for (std::uint32_t s = 0; s < graph.num_nodes(); ++s)
      for (std::uint32_t d = 0; d < graph.num_nodes(); ++d) {
        if (s == d) continue;
        const std::vector<Nodes> all = every_path(graph, s, d, graph.num_nodes());
        std::vector<Nodes> lex;
        for (const GraphPath& path : finder.paths(NodeId{s}, NodeId{d}, {PathRule::Kind::kKShortest, 6, KspTies::kLex}))
          lex.push_back(nodes_of(graph, path));
        EXPECT_EQ(lex, std::vector<Nodes>(all.begin(), all.begin() + std::min<std::ptrdiff_t>(6, std::ssize(all))));

        for (const KspTies ties : {KspTies::kRandom, KspTies::kEdgeDisjoint}) {
          std::set<Nodes> other;
          std::vector<std::size_t> lengths, wanted;
          for (const GraphPath& path :
               finder.paths(NodeId{s}, NodeId{d}, {PathRule::Kind::kKShortest, 6, ties, 1001})) {
            other.insert(nodes_of(graph, path));
            lengths.push_back(path.size() + 1);
          }
          for (const Nodes& path : lex) wanted.push_back(path.size());
          EXPECT_EQ(lengths, wanted);
          EXPECT_EQ(other.size(), lex.size()) << "a path twice";
        }

        std::vector<Nodes> short_ones, allpath;
        for (const Nodes& path : all)
          if (path.size() <= 5) short_ones.push_back(path);
        for (const GraphPath& path : finder.paths(NodeId{s}, NodeId{d}, {PathRule::Kind::kAllUpTo, 4}))
          allpath.push_back(nodes_of(graph, path));
        EXPECT_EQ(allpath, short_ones);
      }
  }
}

TEST(PathSets, edge_disjoint_ties_avoid_arcs_that_are_in_use) {
  // From 0 to 5 four paths of length 3, two over 1: by nodes 0-1-3-5 and 0-1-4-5 come first.
  const Digraph graph(6, {{0, 1}, {0, 2}, {1, 3}, {1, 4}, {2, 3}, {2, 4}, {3, 5}, {4, 5}});
  PathFinder finder(graph);
  const auto two = [&](KspTies ties) {
    std::vector<Nodes> found;
    for (const GraphPath& path : finder.paths(NodeId{0}, NodeId{5}, {PathRule::Kind::kKShortest, 2, ties}))
      found.push_back(nodes_of(graph, path));
    return found;
  };
  EXPECT_EQ(two(KspTies::kLex), (std::vector<Nodes>{{0, 1, 3, 5}, {0, 1, 4, 5}}));
  EXPECT_EQ(two(KspTies::kEdgeDisjoint), (std::vector<Nodes>{{0, 1, 3, 5}, {0, 2, 4, 5}}));
}

TEST(PathSets, are_written_in_words) {
  EXPECT_EQ(parse_path_rule("ksp:8")->parameter, 8);
  EXPECT_EQ(parse_path_rule("allpath:3")->kind, PathRule::Kind::kAllUpTo);
  for (const char* word : {"", "ksp", "ksp:", "ksp:0", "ksp:8x", "allpath:-1", "best:3", "ksp:99999999999"})
    EXPECT_FALSE(parse_path_rule(word)) << word;
}

}  // namespace
}  // namespace espalier
