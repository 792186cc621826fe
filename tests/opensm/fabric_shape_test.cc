// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A dragonfly is told of by its groups, a tree by its levels, anything else by neither.
#include "plugin/fabric_shape.h"

#include <gtest/gtest.h>

#include "core/fabric/faults.h"
#include "core/tree/rank.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

Fabric dragonfly() { return test::generated("dragonfly", "2,4,2,9"); }

FabricShape with_groups(const FatTree& tree) {
  const DetectedGroups groups(tree.fabric());
  return fabric_shape(tree, &groups);
}

TEST(FabricShape, a_whole_dragonfly_has_groups_and_nothing_irregular) {
  const Fabric fabric = dragonfly();
  const FatTree tree = rank(fabric).value();
  ASSERT_FALSE(tree.irregularities().empty());  // as a tree it has plenty
  const FabricShape shape = with_groups(tree);
  EXPECT_EQ(shape.text, "dragonfly of 9 groups");
  EXPECT_TRUE(shape.irregularities.empty());
}

TEST(FabricShape, each_missing_link_of_a_dragonfly_is_one_line) {
  const Fabric whole = dragonfly();
  // Ports 3 to 5 of a switch lead into its group, 6 and 7 to others.
  const auto link = [&](unsigned port) { return whole.channel(SwitchId{0}, id_at<PortNum>(port)); };
  const Fabric fabric = without(whole, {.switches = {}, .endports = {}, .links = {link(3), link(6)}});
  const FabricShape shape = with_groups(rank(fabric).value());
  ASSERT_EQ(shape.irregularities.size(), 2U);
  EXPECT_TRUE(shape.irregularities[0].starts_with("missing global link: group 0 (that of ")) << shape.irregularities[0];
  EXPECT_TRUE(shape.irregularities[1].starts_with("missing local link: ")) << shape.irregularities[1];
  EXPECT_TRUE(shape.irregularities[1].ends_with("have 0 links, where most pairs have 1")) << shape.irregularities[1];
}

TEST(FabricShape, what_is_no_dragonfly_is_a_tree) {
  const Fabric fabric = test::pgft("2;4,6;1,4;1,2");
  const FatTree tree = rank(fabric).value();
  EXPECT_EQ(fabric_shape(tree, nullptr).text, "2 levels");
  EXPECT_EQ(with_groups(tree).text, "2 levels");
  EXPECT_EQ(fabric_shape(rank(dragonfly()).value(), nullptr).text, "1 level");
}

TEST(FabricShape, a_random_graph_is_neither) {
  const Fabric fabric = test::generated("jellyfish", "40,8,5", 0, 1001);
  const FabricShape shape = with_groups(rank(fabric).value());
  EXPECT_EQ(shape.text, "no tree");
  EXPECT_TRUE(shape.irregularities.empty());
}

}  // namespace
}  // namespace espalier
