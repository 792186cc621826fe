// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/schedule/leaf_spine/phase_bound.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace espalier {
namespace {

// The published bound (thesis 5.1): max(P, ceil(M0 (P - M0) / (M0 - f))), with the spines in place of M0 in the
// denominator, where a tree has not as many spines as servers per leaf. M0 is the fullest leaf's.
std::uint32_t published_bound(const LeafSpine& tree) {
  const std::uint64_t all = tree.num_servers();
  if (all == 0) return 0;
  const std::uint64_t m0 = *std::max_element(tree.servers.begin(), tree.servers.end());
  const std::uint64_t left = tree.num_spines - std::min<std::uint64_t>(tree.num_spines, tree.bandwidth_reduction());
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(all, left == 0 ? 0 : (m0 * (all - m0) + left - 1) / left));
}

LeafSpine daq_tree() { return {std::vector<std::uint32_t>(18, 20), 20}; }

TEST(PhaseBound, OfAWholeTreeIsTheNumberOfServers) {
  const PhaseBound bound = phase_bound(daq_tree());
  EXPECT_EQ(bound.phases(), 360U);
  EXPECT_EQ(bound.reduction, 0U);
  EXPECT_EQ(published_bound(daq_tree()), 360U);
}

TEST(PhaseBound, IsOneLessForAScheduleThatKeepsNoPhaseForOwnParts) {
  const PhaseBound bound = phase_bound(daq_tree());
  EXPECT_EQ(bound.without_own_parts(), 359U);
  EXPECT_EQ(bound.for_schedule(360), 360U);
  EXPECT_EQ(bound.for_schedule(359), 359U);
  LeafSpine tree = daq_tree();
  for (const std::size_t spine : {0U, 1U}) tree.cut(7, spine);
  EXPECT_EQ(phase_bound(tree).without_own_parts(), 378U) << "the leaf's links are what is short";
  EXPECT_EQ(phase_bound(LeafSpine({0}, 1)).without_own_parts(), 0U);
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

TEST(PhaseBound, OfLostSpinesIsThatOfOneLeafWhichLostAsManyLinks) {
  LeafSpine tree = daq_tree();
  for (std::size_t leaf = 0; leaf < 18; ++leaf)
    for (const std::size_t spine : {0U, 1U, 4U, 5U}) tree.cut(leaf, spine);
  EXPECT_EQ(phase_bound(tree).phases(), 425U);
}

TEST(PhaseBound, SeesThatTwoLeavesShareOneSpine) {
  // Leaf 0 has spines 0 1 2 3, leaf 1 has 3 4 5 6: 4 x 4 flows over spine 3, while 4 x 8 flows leave by four links.
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
  EXPECT_EQ(phase_bound(tree).leaf, 4U);  // 4 x 2 flows over two links
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
