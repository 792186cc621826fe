// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/schedule/leaf_spine/spine_assignment.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/schedule/exchanges/server_exchange.h"
#include "tests/schedule/random_damage.h"

namespace espalier {
namespace {

// No link above `rounds`, no dead link, all demand.
void expect_assignment(const LeafSpine& tree, const std::vector<std::uint32_t>& demand, std::uint32_t rounds,
                       const SpineLoads& loads) {
  const std::size_t n = tree.num_leaves();
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t s = 0; s < tree.num_spines; ++s) {
      std::uint32_t up = 0;
      std::uint32_t down = 0;
      for (std::size_t b = 0; b < n; ++b) {
        up += loads.at(a, s, b);
        down += loads.at(b, s, a);
        if (!tree.joined(a, s) || !tree.joined(b, s)) {
          EXPECT_EQ(loads.at(a, s, b), 0U);
        }
      }
      EXPECT_LE(up, rounds);
      EXPECT_LE(down, rounds);
    }
    for (std::size_t b = 0; b < n; ++b) {
      std::uint32_t flows = 0;
      for (std::size_t s = 0; s < tree.num_spines; ++s) flows += loads.at(a, s, b);
      EXPECT_EQ(flows, a == b ? 0 : demand[a * n + b]);
    }
  }
}

// Spines between two leaves that are in use, at most over all pairs.
std::uint32_t most_spines_per_pair(const LeafSpine& tree, const SpineLoads& loads) {
  std::uint32_t most = 0;
  for (std::size_t a = 0; a < tree.num_leaves(); ++a)
    for (std::size_t b = 0; b < tree.num_leaves(); ++b) {
      std::uint32_t used = 0;
      for (std::size_t s = 0; s < tree.num_spines; ++s) used += loads.at(a, s, b) != 0 ? 1 : 0;
      most = std::max(most, used);
    }
  return most;
}

TEST(SpineAssignment, FillsAWholeTreeToTheLastLink) {
  const LeafSpine tree({5, 5, 5, 5, 5, 5}, 5);
  const auto demand = piece_demand(tree, 5);
  const auto loads = assign_spines(tree, demand, 5);
  ASSERT_TRUE(loads);
  expect_assignment(tree, demand, 5, *loads);
  EXPECT_FALSE(assign_spines(tree, demand, 4));
}

TEST(SpineAssignment, FindsItsWayAroundDamageAtTheTightestNumberOfRounds) {
  // 16 lost links: 378 phases, of which each leaf without two links needs 377.8.
  const LeafSpine tree = test::damaged_tree(18, 20, 20, 16, 201);
  const auto demand = piece_demand(tree, 1);
  const std::uint32_t rounds = (20 * 340 + 20 - tree.bandwidth_reduction() - 1) / (20 - tree.bandwidth_reduction());
  const auto loads = assign_spines(tree, demand, rounds);
  ASSERT_TRUE(loads);
  expect_assignment(tree, demand, rounds, *loads);
}

TEST(SpineAssignment, KeepsToTheSpinesPerPairThatItIsAllowed) {
  const LeafSpine tree = test::damaged_tree(9, 8, 8, 8, 3);
  const auto demand = piece_demand(tree, 1);
  for (const std::uint32_t limit : {2U, 4U}) {
    const auto loads = assign_spines(tree, demand, 110, {limit, 30});
    ASSERT_TRUE(loads) << limit;
    expect_assignment(tree, demand, 110, *loads);
    EXPECT_LE(most_spines_per_pair(tree, *loads), limit);
  }
}

TEST(SpineAssignment, RefusesWhatHasNoWay) {
  LeafSpine tree({1, 1}, 2);
  tree.cut(0, 0);
  tree.cut(1, 1);
  EXPECT_FALSE(assign_spines(tree, piece_demand(tree, 1), 100));
}

}  // namespace
}  // namespace espalier
