// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/schedule/leaf_spine/phase_bound.h"

#include <gtest/gtest.h>

namespace espalier {
namespace {

LeafSpine daq_tree() { return {std::vector<std::uint32_t>(18, 20), 20}; }

TEST(PhaseBound, OfAWholeTreeIsTheNumberOfServers) {
  const PhaseBound bound = phase_bound(daq_tree());
  EXPECT_EQ(bound.phases(), 360U);
  EXPECT_EQ(bound.reduction, 0U);
  EXPECT_EQ(published_bound(daq_tree()), 360U);
}

TEST(PhaseBound, FollowsTheWeakestLeaf) {
  LeafSpine tree = daq_tree();
  const std::uint32_t expected[] = {360, 360, 378, 400, 425};
  for (std::uint32_t failed = 0; failed < 5; ++failed) {
    EXPECT_EQ(phase_bound(tree).phases(), expected[failed]);
    EXPECT_EQ(published_bound(tree), expected[failed]);
    tree.cut(7, failed);
  }
}

TEST(PhaseBound, OfLostSpinesIsThatOfOneLeafWhichLostAsManyCables) {
  LeafSpine tree = daq_tree();
  for (std::size_t leaf = 0; leaf < 18; ++leaf)
    for (const std::size_t spine : {0U, 1U, 4U, 5U}) tree.cut(leaf, spine);
  EXPECT_EQ(phase_bound(tree).phases(), 425U);
}

TEST(PhaseBound, SeesThatTwoLeavesShareOneSpine) {
  // Leaf 0 has spines 0 1 2 3, leaf 1 has 3 4 5 6: 4 x 4 flows over spine 3, while 4 x 8 flows leave by four cables.
  LeafSpine tree({4, 4, 4}, 7);
  for (const std::size_t spine : {4U, 5U, 6U}) tree.cut(0, spine);
  for (const std::size_t spine : {0U, 1U, 2U}) tree.cut(1, spine);
  EXPECT_EQ(phase_bound(tree).leaf, 8U);
  EXPECT_EQ(phase_bound(tree).few_spines, 16U);
  EXPECT_EQ(published_bound(tree), 12U);
}

TEST(PhaseBound, SeesThatTwoLeavesReachAThirdByTheSameSpine) {
  // Leaves 1 and 2 share only spine 0 with leaf 0, so 2 x 9 flows cross it.
  LeafSpine tree({3, 3, 3}, 5);
  for (const std::size_t spine : {3U, 4U}) tree.cut(0, spine);
  for (const std::size_t leaf : {1U, 2U})
    for (const std::size_t spine : {1U, 2U}) tree.cut(leaf, spine);
  EXPECT_EQ(phase_bound(tree).few_spines, 18U);
}

TEST(PhaseBound, CountsUnevenLeavesEachForItself) {
  LeafSpine tree({4, 1, 1}, 2);
  EXPECT_EQ(phase_bound(tree).servers, 6U);
  EXPECT_EQ(phase_bound(tree).leaf, 4U);  // 4 x 2 flows over two cables
  tree.cut(0, 1);
  EXPECT_EQ(phase_bound(tree).phases(), 8U);
}

TEST(PhaseBound, IgnoresALeafThatIsCutOff) {
  LeafSpine tree({2, 2, 2}, 1);
  tree.cut(0, 0);
  EXPECT_EQ(phase_bound(tree).phases(), 8U);
}

}  // namespace
}  // namespace espalier
