// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/costs.h"

#include <gtest/gtest.h>

#include "core/tree/dividers.h"
#include "core/tree/rank.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

using test::switch_named;

TEST(Costs, CountTheHopsOfUpDownPaths) {
  const Fabric fabric = test::three_level_tree();
  const FatTree tree = *rank(fabric);
  const UpDownCosts costs(tree);
  const SwitchId l0 = switch_named(fabric, "L0");
  const SwitchId m0 = switch_named(fabric, "M0");
  EXPECT_EQ(costs.cost(l0, l0), 0);
  EXPECT_EQ(costs.cost(l0, switch_named(fabric, "L1")), 2);
  EXPECT_EQ(costs.cost(l0, switch_named(fabric, "L3")), 4);
  EXPECT_EQ(costs.cost(l0, m0), 1);
  EXPECT_EQ(costs.down_cost(m0, l0), 1);
  EXPECT_EQ(costs.down_cost(switch_named(fabric, "T0"), l0), 2);
  EXPECT_EQ(costs.down_cost(l0, m0), kUnreachable);
}

TEST(Costs, AreInfiniteWhereNoUpDownPathIs) {
  const Fabric fabric = test::three_level_tree();
  const UpDownCosts costs(*rank(fabric));
  EXPECT_EQ(costs.cost(switch_named(fabric, "T0"), switch_named(fabric, "T1")), kUnreachable);
  EXPECT_EQ(costs.cost(switch_named(fabric, "M0"), switch_named(fabric, "M1")), kUnreachable);
}

// The fabric in which Algorithm 12 as printed turns packets down and up. B has a path down to D over three links and a
// path up and down over two:
//
//        C            c(B,D) = 2 by C, c'(B,D) = 3 by x, y; A sends down to B for D (c'(A,D) = 4), and B, comparing
//   A   /|            c at its up-neighbor C, sends up: a down-up turn that no up-down order allows.
//   |  / |
//   B    |            Here B goes down, and its cost says so.
//   x    |
//   y    |
//   D----+
TEST(Costs, GoDownWhoCanGoDownThoughAWayUpIsShorter) {
  const Fabric fabric = test::draw("D y x B A C; D-y y-x x-B B-A B-C D-C");
  IdVector<SwitchId, Level> level(fabric.num_switches());
  IdVector<SwitchId, std::uint32_t> position(fabric.num_switches());
  for (const SwitchId s : fabric.switches()) {
    position[s] = static_cast<std::uint32_t>(index(s));
    level[s] = id_at<Level>(index(s));
  }
  const FatTree tree(fabric, level, position, {});
  const UpDownCosts costs(tree);
  const SwitchId b = switch_named(fabric, "B");
  const SwitchId d = switch_named(fabric, "D");
  EXPECT_EQ(costs.cost(switch_named(fabric, "C"), d), 1) << "the path up and down would take two hops";
  EXPECT_EQ(costs.cost(b, d), 3);
  EXPECT_EQ(costs.cost(b, d), costs.down_cost(b, d));
  EXPECT_EQ(costs.cost(switch_named(fabric, "A"), d), 4);
}

TEST(Dividers, AreTheProductsOfUpAritiesOnAPerfectTree) {
  const Fabric fabric = test::pgft("3;2,2,2;1,3,2;1,1,1");
  const FatTree tree = *rank(fabric);
  const auto divider = dividers(tree);
  for (const SwitchId s : fabric.switches()) {
    const std::uint32_t expected[] = {1, 3, 6};
    EXPECT_EQ(divider[s], expected[index(tree.level(s))]) << fabric.label(s);
  }
}

TEST(Dividers, DoNotCountLinksBetweenLeaves) {
  const Fabric fabric =
      test::draw("L0:4 L1:4 L2:4 L3:4 ; L0-S0 L0-S1 L1-S0 L1-S1 L2-S0 L2-S1 L3-S0 L3-S1 ; L0-L1 L2-L3");
  const auto divider = dividers(*rank(fabric));
  for (const char* leaf : {"L0", "L1", "L2", "L3"}) EXPECT_EQ(divider[switch_named(fabric, leaf)], 1U) << leaf;
  for (const char* spine : {"S0", "S1"}) EXPECT_EQ(divider[switch_named(fabric, spine)], 2U) << spine;
}

// Figure 4.3's rule: of several paths up, the largest product counts, so that one missing link changes nothing above.
TEST(Dividers, KeepTheLargestProductUnderDamage) {
  const Fabric fabric = test::draw("L0:1 L1:1 S0 S1 S2; L0-S0 L0-S1 L0-S2 L1-S0 L1-S1");
  const auto divider = dividers(*rank(fabric));
  EXPECT_EQ(divider[switch_named(fabric, "S0")], 3U);
  EXPECT_EQ(divider[switch_named(fabric, "S2")], 3U);
  EXPECT_EQ(divider[switch_named(fabric, "L1")], 1U);
}

}  // namespace
}  // namespace espalier
