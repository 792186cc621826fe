// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/base/ordered_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace espalier {
namespace {

using Vertex = OrderedGraph::Vertex;

// The same by searching everything.
class Searched {
 public:
  explicit Searched(std::size_t size) : next_(size) {}

  bool add(Vertex from, Vertex to) {
    if (reaches(to, from)) return false;
    next_[from].push_back(to);
    return true;
  }
  void remove(Vertex from) { next_[from].pop_back(); }

 private:
  [[nodiscard]] bool reaches(Vertex from, Vertex to) const {
    std::vector<std::uint8_t> seen(next_.size());
    std::vector<Vertex> found{from};
    seen[from] = 1;
    for (std::size_t i = 0; i < found.size(); ++i)
      for (const Vertex v : next_[found[i]])
        if (seen[v]++ == 0) found.push_back(v);
    return seen[to] != 0;
  }
  std::vector<std::vector<Vertex>> next_;
};

TEST(OrderedGraph, takes_an_edge_unless_it_closes_a_cycle) {
  for (std::uint64_t seed = 1001; seed < 1021; ++seed) {
    std::mt19937_64 random(seed);
    const auto size = static_cast<Vertex>(5 + random() % 40);
    std::vector<Vertex> order(size);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    OrderedGraph graph(order);
    Searched expected(size);
    int refused = 0;
    for (int i = 0; i < 400; ++i) {
      const auto from = static_cast<Vertex>(random() % size), to = static_cast<Vertex>(random() % size);
      const bool taken = graph.add(from, to);
      ASSERT_EQ(taken, expected.add(from, to)) << seed << ": " << from << " to " << to;
      refused += taken ? 0 : 1;
      if (!taken || random() % 3 != 0) continue;
      graph.remove(from, to);
      expected.remove(from);
    }
    EXPECT_GT(refused, 0);
  }
}

// Two chains of thousands whose vertices take turns by chance: one has to go behind the other as a whole.
TEST(OrderedGraph, moves_thousands_at_once) {
  constexpr Vertex kLength = 3000;
  std::mt19937_64 random(3001);
  std::vector<std::uint8_t> is_second(2 * kLength, 0);
  std::fill(is_second.begin() + kLength, is_second.end(), std::uint8_t{1});
  std::shuffle(is_second.begin() + 1, is_second.end() - 1, random);
  std::vector<Vertex> order;
  Vertex first = 0, second = kLength;
  for (const std::uint8_t second_is_next : is_second) order.push_back(second_is_next != 0 ? second++ : first++);
  OrderedGraph graph(order);
  for (Vertex v = 0; v + 1 < 2 * kLength; ++v) ASSERT_TRUE(v + 1 == kLength || graph.add(v, v + 1));
  const Vertex end_of_second = 2 * kLength - 1;
  ASSERT_FALSE(graph.ascends(end_of_second, 0));
  ASSERT_TRUE(graph.add(end_of_second, 0));
  for (Vertex v = 0; v + 1 < 2 * kLength; ++v) EXPECT_TRUE(v + 1 == kLength || graph.ascends(v, v + 1)) << v;
  EXPECT_TRUE(graph.ascends(end_of_second, 0));
  EXPECT_FALSE(graph.add(kLength - 1, kLength));
}

// A graph that begins with shared edges is one to which they were added.
TEST(OrderedGraph, shares_edges) {
  for (std::uint64_t seed = 2001; seed < 2011; ++seed) {
    std::mt19937_64 random(seed);
    const auto size = static_cast<Vertex>(5 + random() % 40);
    std::vector<Vertex> order(size);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    std::vector<std::pair<Vertex, Vertex>> edges;
    Searched expected(size + 3);
    for (int i = 0; i < 60; ++i) {
      const std::size_t a = random() % (size - 1), b = a + 1 + random() % (size - 1 - a);
      edges.emplace_back(order[a], order[b]);
      ASSERT_TRUE(expected.add(order[a], order[b]));
    }
    OrderedGraph graph(order, std::make_shared<const SharedEdges>(size, edges));
    for (const auto& [from, to] : edges) {
      EXPECT_TRUE(graph.has(from, to));
      EXPECT_TRUE(graph.ascends(from, to));
    }
    graph.grow(3);
    int refused = 0;
    for (int i = 0; i < 300; ++i) {
      const auto from = static_cast<Vertex>(random() % (size + 3)), to = static_cast<Vertex>(random() % (size + 3));
      const bool taken = graph.add(from, to);
      ASSERT_EQ(taken, expected.add(from, to)) << seed << ": " << from << " to " << to;
      EXPECT_TRUE(!taken || (graph.has(from, to) && graph.ascends(from, to)));
      refused += taken ? 0 : 1;
    }
    EXPECT_GT(refused, 0);
    EXPECT_GT(graph.num_visited(), 0U);
  }
}

}  // namespace
}  // namespace espalier
