// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/multicast/multicast_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "core/tree/rank.h"
#include "tests/opensm/tree_fault.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

using test::pgft;

IdVector<SwitchId, McastSupport> all_support(const Fabric& fabric) {
  return IdVector<SwitchId, McastSupport>(fabric.num_switches(), McastSupport::kYes);
}

std::vector<SwitchId> leaves(const FatTree& tree) {
  std::vector<SwitchId> found;
  for (const SwitchId s : tree.fabric().switches())
    if (tree.level(s) == Level{0}) found.push_back(s);
  return found;
}

// Whether the edges are cables of the fabric and a tree that spans the members, with each of its ends a member.
void expect_minimal_tree(const Fabric& fabric, const std::vector<TreeEdge>& edges,
                         const std::vector<SwitchId>& members) {
  EXPECT_EQ(test::tree_fault(fabric, edges, members), "");
}

TEST(MulticastTree, JoinsAnyLeavesOfAThreeLevelTree) {
  const Fabric fabric = pgft("3;2,3,4;1,2,3;1,2,1");
  const FatTree tree = *rank(fabric);
  MulticastPlan plan(tree, all_support(fabric));
  const auto all = leaves(tree);
  for (std::uint16_t mlid = 0xC000; mlid < 0xC010; ++mlid)
    for (std::size_t step = 1; step < all.size(); ++step) {
      std::vector<SwitchId> members;
      for (std::size_t i = 0; i < all.size(); i += step) members.push_back(all[i]);
      expect_minimal_tree(fabric, join(*plan.trunk(0, mlid), members), members);
    }
}

TEST(MulticastTree, NeedsNoCableForMembersOfOneSwitch) {
  const Fabric fabric = pgft("2;2,3;1,2;1,1");
  const FatTree tree = *rank(fabric);
  MulticastPlan plan(tree, all_support(fabric));
  const SwitchId leaf = leaves(tree).front();
  EXPECT_TRUE(join(*plan.trunk(0, 0xC000), std::vector{leaf, leaf}).empty());
}

TEST(MulticastTree, StaysInsideThePodWhenAllMembersAreInIt) {
  const Fabric fabric = pgft("3;2,3,4;1,2,3;1,1,1");
  const FatTree tree = *rank(fabric);
  MulticastPlan plan(tree, all_support(fabric));
  const auto all = leaves(tree);
  EXPECT_EQ(join(*plan.trunk(0, 0xC001), std::vector{all[0], all[2]}).size(), 2U);
}

TEST(MulticastTree, SpreadsGroupsOverTheTopAndMovesOnlyThoseOfALostRoot) {
  const Fabric fabric = pgft("2;4,8;1,4;1,1");
  const FatTree tree = *rank(fabric);
  auto support = all_support(fabric);
  std::map<std::uint16_t, SwitchId> before;
  std::map<SwitchId, int> groups;
  for (std::uint16_t mlid = 0xC000; mlid < 0xC100; ++mlid) {
    before[mlid] = choose_root(tree, 0, mlid, support);
    ++groups[before[mlid]];
  }
  ASSERT_EQ(groups.size(), 4U);
  for (const auto& [root, count] : groups) EXPECT_THAT(count, testing::AllOf(testing::Ge(32), testing::Le(96)));

  const SwitchId lost = before[0xC000];
  support[lost] = McastSupport::kNo;
  for (const auto& [mlid, root] : before) {
    const SwitchId now = choose_root(tree, 0, mlid, support);
    EXPECT_TRUE(root == lost ? now != lost : now == root);
  }
}

TEST(MulticastTree, GoesAroundSwitchesWithoutMulticast) {
  const Fabric fabric = pgft("3;2,3,4;1,2,3;1,1,1");
  const FatTree tree = *rank(fabric);
  auto support = all_support(fabric);
  const auto all = leaves(tree);
  const SwitchId parent = tree.up_groups(all[0]).front().remote;
  support[parent] = McastSupport::kNo;
  MulticastPlan plan(tree, support);
  const auto edges = join(*plan.trunk(0, 0xC002), all);
  expect_minimal_tree(fabric, edges, all);
  for (const TreeEdge& e : edges) EXPECT_TRUE(e.upper != parent && e.lower != parent);
}

TEST(MulticastTree, HasNoTrunkWhereNoSwitchCan) {
  const Fabric fabric = pgft("2;2,3;1,2;1,1");
  const FatTree tree = *rank(fabric);
  MulticastPlan plan(tree, IdVector<SwitchId, McastSupport>(fabric.num_switches(), McastSupport::kNo));
  EXPECT_EQ(plan.trunk(0, 0xC000), nullptr);
}

}  // namespace
}  // namespace espalier
