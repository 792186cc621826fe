// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/schedule/combinatorics/equitable_coloring.h"

#include <gmock/gmock.h>

#include <map>
#include <numeric>
#include <random>
#include <string>

#include "core/schedule/combinatorics/bounded_flow.h"

namespace espalier {
namespace {

// How often each class meets a set, against the fair share.
void expect_fair(const std::vector<std::uint64_t>& per_class) {
  const std::uint64_t total = std::accumulate(per_class.begin(), per_class.end(), std::uint64_t{0});
  const std::uint64_t least = total / per_class.size();
  const std::uint64_t most = (total + per_class.size() - 1) / per_class.size();
  for (const std::uint64_t count : per_class) {
    EXPECT_GE(count, least);
    EXPECT_LE(count, most);
  }
}

TEST(EquitableColoring, GivesEverySetOfBothSidesItsFairShareOfEveryClass) {
  std::mt19937 random(1);
  for (const std::uint32_t classes : {1U, 2U, 3U, 5U, 7U, 8U, 12U, 37U}) {
    const LaminarSide left{{0, 0, 1, 1, 1, 2}, 3};
    const LaminarSide right{{0, 1, 1, 0}, 2};
    std::vector<Bundle> edges;
    std::vector<std::uint32_t> count_of_tag;
    for (std::uint32_t i = 0; i < 60; ++i) {
      const auto count = static_cast<std::uint32_t>(1 + random() % 9);
      edges.push_back({static_cast<std::uint32_t>(random() % 6), static_cast<std::uint32_t>(random() % 4), count, i});
      count_of_tag.push_back(count);
    }
    std::map<std::string, std::vector<std::uint64_t>> met;
    std::vector<std::uint32_t> dealt(edges.size(), 0);
    std::uint32_t next = 0;
    color_equitably(edges, left, right, classes, [&](std::uint32_t c, const std::vector<Bundle>& mine) {
      EXPECT_EQ(c, next++);
      for (const Bundle& e : mine) {
        dealt[e.tag] += e.count;
        for (const std::string& set : {"l" + std::to_string(e.left), "L" + std::to_string(left.outer_of[e.left]),
                                       "r" + std::to_string(e.right), "R" + std::to_string(right.outer_of[e.right])}) {
          met[set].resize(classes, 0);
          met[set][c] += e.count;
        }
      }
    });
    EXPECT_EQ(next, classes);
    EXPECT_EQ(dealt, count_of_tag);
    for (const auto& [set, per_class] : met) {
      SCOPED_TRACE(set + " in " + std::to_string(classes) + " classes");
      expect_fair(per_class);
    }
  }
}

TEST(EquitableColoring, OfACompleteBipartiteGraphIsALatinSquare) {
  std::vector<Bundle> edges;
  for (std::uint32_t a = 0; a < 7; ++a)
    for (std::uint32_t b = 0; b < 7; ++b) edges.push_back({a, b, 1, 0});
  color_equitably(edges, LaminarSide::flat(7), LaminarSide::flat(7), 7,
                  [](std::uint32_t, const std::vector<Bundle>& mine) {
                    std::vector<std::uint32_t> lefts;
                    std::vector<std::uint32_t> rights;
                    for (const Bundle& e : mine) {
                      lefts.push_back(e.left);
                      rights.push_back(e.right);
                    }
                    EXPECT_THAT(lefts, ::testing::UnorderedElementsAre(0, 1, 2, 3, 4, 5, 6));
                    EXPECT_THAT(rights, ::testing::UnorderedElementsAre(0, 1, 2, 3, 4, 5, 6));
                  });
}

TEST(EquitableColoring, VisitsClassesThatGetNothing) {
  std::uint32_t visits = 0;
  color_equitably({{0, 0, 1, 0}}, LaminarSide::flat(1), LaminarSide::flat(1), 3,
                  [&](std::uint32_t, const std::vector<Bundle>&) { ++visits; });
  EXPECT_EQ(visits, 3U);
}

TEST(BoundedFlow, FindsACirculationWithinItsBounds) {
  BoundedFlow flow(3);
  const std::size_t ab = flow.add_arc(0, 1, 2, 5);
  const std::size_t bc = flow.add_arc(1, 2, 0, 3);
  const std::size_t bc2 = flow.add_arc(1, 2, 1, 9);
  const std::size_t ca = flow.add_arc(2, 0, 4, 4);
  ASSERT_TRUE(flow.solve());
  EXPECT_EQ(flow.flow(ca), 4);
  EXPECT_EQ(flow.flow(ab), 4);
  EXPECT_EQ(flow.flow(bc) + flow.flow(bc2), 4);
  EXPECT_GE(flow.flow(bc2), 1);
  EXPECT_LE(flow.flow(bc), 3);
}

TEST(BoundedFlow, SaysWhenThereIsNone) {
  BoundedFlow flow(2);
  flow.add_arc(0, 1, 3, 5);
  flow.add_arc(1, 0, 0, 2);
  EXPECT_FALSE(flow.solve());
}

}  // namespace
}  // namespace espalier
