// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/congestion/bound.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/tree/rank.h"
#include "tests/analysis/fill_tables.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"
#include "tests/support/without.h"

namespace espalier {
namespace {

const TrafficPattern kAllShifts{TrafficPattern::Kind::kShifts, 1};

// Two hosts on each of two leaves, one link: the shift by 2 sends both hosts of a leaf over it.
TEST(CutBounds, CountFlowsThatLeaveALeaf) {
  const Fabric fabric = test::draw("L0:2 L1:2 S; L0-S L1-S");
  const FatTree tree = *rank(fabric);
  const CutBounds bounds(tree, test::all_endports(fabric));
  EXPECT_EQ(bounds.permutation(shift_permutation(4, 2)).shares, 2U);
  EXPECT_EQ(bounds.permutation(shift_permutation(4, 1)).shares, 1U);
  EXPECT_EQ(bounds.all_to_all().shares, 4U);
  const ShiftBound shifts = shift_bound(bounds, 4, kAllShifts);
  EXPECT_EQ(shifts.worst.shares, 2U);
  EXPECT_DOUBLE_EQ(shifts.mean, 4.0 / 3);
  EXPECT_THAT(shifts.worst.why, testing::HasSubstr("shift by 2: 2 flows leave the pod of"));
}

// The example: three of 72 links of a pod with 288 hosts are gone.
TEST(CutBounds, KnowWhatAMissingSwitchCosts) {
  const Fabric whole = test::pgft("3;24,12,6;1,24,3;1,1,1");
  const FatTree tree = *rank(whole);
  EXPECT_EQ(CutBounds(tree, test::all_endports(whole)).permutation(shift_permutation(whole.num_endports(), 1)).shares,
            1U);
  const auto by_pod = [](const Fabric& fabric, const FatTree& ranked) {
    return CutBounds(ranked, test::all_endports(fabric))
        .permutation(shift_permutation(fabric.num_endports(), 288))
        .shares;
  };
  EXPECT_EQ(by_pod(whole, tree), 4U);
  SwitchId middle = kNoSwitch;
  for (const SwitchId s : whole.switches())
    if (tree.level(s) == Level{1}) middle = s;
  const Fabric hurt = without_switch(whole, middle);
  EXPECT_EQ(by_pod(hurt, *rank(hurt)), 5U);
}

// A and B hold different spines: two links each, but one way from one to the other.
TEST(CutBounds, CountWaysBetweenTwoPods) {
  const Fabric fabric = test::draw("L0:2 L1:2 L2:2 S T U; L0-S L0-T L1-T L1-U L2-S L2-T L2-U");
  const FatTree tree = *rank(fabric);
  const CutBounds bounds(tree, test::all_endports(fabric));
  EXPECT_EQ(bounds.permutation(shift_permutation(6, 2)).shares, 2U);
}

// Three flows over two channels: one carries two of them, or one and a half where flows are halved.
TEST(CutBounds, AreInSharesWhereFlowsAreSpread) {
  const Fabric fabric = test::draw("L0:3 L1:3 S T; L0-S L0-T L1-S L1-T");
  const FatTree tree = *rank(fabric);
  const CutBounds whole(tree, test::all_endports(fabric));
  const CutBounds halves(tree, test::all_endports(fabric), 2);
  EXPECT_EQ(whole.permutation(shift_permutation(6, 3)).shares, 2U);
  EXPECT_EQ(halves.permutation(shift_permutation(6, 3)).shares, 3U);
  EXPECT_EQ(whole.all_to_all().shares, 5U);
  EXPECT_EQ(halves.all_to_all().shares, 9U);
  EXPECT_DOUBLE_EQ(shift_bound(halves, 6, kAllShifts).mean, (1 + 2 + 3 + 2 + 1) / 5.0);
}

TEST(CutBounds, CountASourceOrDestinationOnce) {
  const Fabric fabric = test::draw("L0:3 L1:3 S; L0-S L1-S");
  const FatTree tree = *rank(fabric);
  const CutBounds bounds(tree, test::all_endports(fabric));
  const std::vector<Flow> to_one{{0, 3}, {1, 3}, {2, 3}};
  EXPECT_EQ(bounds.phase(to_one).shares, 1U);
  EXPECT_EQ(bounds.phase(reversed(to_one)).shares, 1U);
  const std::vector<Flow> to_two{{0, 3}, {1, 4}, {2, 4}};
  EXPECT_EQ(bounds.phase(to_two).shares, 2U);
}

TEST(CutBounds, LeaveOutWhatIsNotConnected) {
  const Fabric fabric = test::draw("L0:2 L1:2 S; L0-S L1-S  M0:2 M1:2 T; M0-T M1-T");
  const FatTree tree = *rank(fabric);
  EXPECT_EQ(CutBounds(tree, test::all_endports(fabric)).permutation(shift_permutation(8, 4)).shares, 0U);
}

TEST(CutBounds, EstimateRandomPermutationsOfABlockingTree) {
  const Fabric fabric = test::pgft("2;16,32;1,16;1,1");
  const FatTree tree = *rank(fabric);
  const std::uint64_t least = CutBounds(tree, test::all_endports(fabric)).random_permutations().shares;
  EXPECT_GE(least, 4U);
  EXPECT_LE(least, 5U) << "Dmodk has 5 (thesis, table 2.1)";
}

}  // namespace
}  // namespace espalier
