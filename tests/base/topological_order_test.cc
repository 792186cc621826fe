// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/base/topological_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>

namespace espalier {
namespace {

using testing::ElementsAre;
using Edges = std::vector<std::vector<std::uint32_t>>;

struct Sorted {
  std::vector<std::uint32_t> order;
  std::vector<std::uint8_t> in_degree{9, 9};  // what an earlier sort left
};

Sorted sorted(const Edges& edges) {
  Sorted result;
  const auto for_each_next = [&](std::uint32_t v, auto&& visit) {
    for (const std::uint32_t next : edges[v]) visit(next);
  };
  sort_topologically(edges.size(), for_each_next, result.in_degree, result.order);
  return result;
}

TEST(TopologicalOrder, PutsEachVertexBeforeThoseThatItLeadsTo) {
  EXPECT_THAT(sorted({{}, {0, 3}, {1, 1}, {0}}).order, ElementsAre(2, 1, 3, 0));
  EXPECT_THAT(sorted({{}, {}, {}}).order, ElementsAre(0, 1, 2));
  EXPECT_THAT(sorted({}).order, ElementsAre());
}

TEST(TopologicalOrder, LeavesOutCyclesAndWhatIsBehindThem) {
  // 1 and 2 lead to each other, 3 is behind them, 4 leads to itself.
  const Sorted result = sorted({{1}, {2}, {1, 3}, {}, {4}});
  EXPECT_THAT(result.order, ElementsAre(0));
  EXPECT_THAT(result.in_degree, ElementsAre(0, 1, 1, 1, 1));
}

}  // namespace
}  // namespace espalier
