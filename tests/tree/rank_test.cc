// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/rank.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/fabric/faults.h"
#include "core/fabric/generators/megafly.h"
#include "core/tree/costs.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

using Kind = Irregularity::Kind;
using test::draw;
using test::switch_named;
using testing::HasSubstr;

std::size_t level_of(const FatTree& tree, std::string_view description) {
  return index(tree.level(switch_named(tree.fabric(), description)));
}

std::size_t count(const FatTree& tree, Kind kind) {
  const auto& found = tree.irregularities();
  return static_cast<std::size_t>(
      std::count_if(found.begin(), found.end(), [&](const Irregularity& i) { return i.kind == kind; }));
}

TEST(Rank, GivesAPerfectTreeItsLevelsAndNothingToComplainAbout) {
  const Fabric fabric = test::three_level_tree();
  const FatTree tree = *rank(fabric);
  EXPECT_EQ(level_of(tree, "L0"), 0U);
  EXPECT_EQ(level_of(tree, "M3"), 1U);
  EXPECT_EQ(level_of(tree, "T2"), 2U);
  EXPECT_EQ(tree.num_levels(), 3U);
  EXPECT_THAT(tree.irregularities(), testing::IsEmpty());
}

TEST(Rank, IsNotFooledByAggregationNodesOnEverySwitch) {
  const Fabric fabric = test::aggregation_nodes();
  const FatTree tree = *rank(fabric);
  EXPECT_EQ(level_of(tree, "L0"), 0U);
  EXPECT_EQ(level_of(tree, "S0"), 1U);
  EXPECT_EQ(tree.hosts(switch_named(fabric, "S0")).size(), 0U);
  EXPECT_EQ(tree.hosts(switch_named(fabric, "L0")).size(), 2U);
  EXPECT_EQ(count(tree, Kind::kAggregationNode), 1U);
}

TEST(Rank, KeepsASpineWithAServiceHostASpine) {
  const Fabric two = draw("L0:4 L1:4 L2:4 S0:1 S1; L0-S0 L0-S1 L1-S0 L1-S1 L2-S0 L2-S1");
  EXPECT_EQ(level_of(*rank(two), "S0"), 1U);
  EXPECT_EQ(count(*rank(two), Kind::kHostAboveLeaf), 1U);

  // On a top switch of three levels nothing is reached worse when it is taken for a leaf; it only carries no traffic.
  const Fabric three = draw(
      "L0:4 L1:4 L2:4 L3:4 M0 M1 M2 M3 T0:1 T1 T2 T3; L0-M0 L0-M1 L1-M0 L1-M1 L2-M2 L2-M3 L3-M2 L3-M3 "
      "M0-T0 M0-T1 M2-T0 M2-T1 M1-T2 M1-T3 M3-T2 M3-T3");
  EXPECT_EQ(level_of(*rank(three), "T0"), 2U);
}

// `leaves` x `spines`, each with as many hosts as its place in the lists says.
Fabric two_level_tree(const std::vector<int>& leaves, const std::vector<int>& spines) {
  std::string nodes, links;
  for (std::size_t l = 0; l < leaves.size(); ++l) nodes += fmt::format("L{}:{} ", l, leaves[l]);
  for (std::size_t s = 0; s < spines.size(); ++s) {
    nodes += spines[s] == 0 ? fmt::format("S{} ", s) : fmt::format("S{}:{} ", s, spines[s]);
    for (std::size_t l = 0; l < leaves.size(); ++l) links += fmt::format(" L{}-S{}", l, s);
  }
  return draw(nodes + ";" + links);
}

// Turned over, with two spines above all leaves, fewer pairs of hosts would need a detour, and all others had two spines
// instead of ten.
TEST(Rank, KeepsSpinesWithManyServiceHostsSpines) {
  for (const std::vector<int>& spines :
       {std::vector{0, 1, 2, 3, 0, 1, 2, 3, 0, 1}, std::vector{6, 6, 1, 1, 0, 0, 0, 0}}) {
    const Fabric fabric = two_level_tree(std::vector(16, 16), spines);
    const FatTree tree = *rank(fabric);
    EXPECT_EQ(tree.num_levels(), 2U);
    for (std::size_t s = 0; s < spines.size(); ++s) EXPECT_EQ(level_of(tree, fmt::format("S{}", s)), 1U);
  }
}

// Each keeps its spines: below leaves, they would carry nothing.
TEST(Rank, KeepsTheSpinesOfTreesThatAreJoinedAtAFewSpines) {
  std::string nodes, links;
  for (const char tree : {'A', 'B'}) {
    for (int l = 0; l < 8; ++l) nodes += fmt::format("{}L{}:12 ", tree, l);
    for (int s = 0; s < 6; ++s) nodes += fmt::format("{}S{} ", tree, s);
    for (int l = 0; l < 8; ++l)
      for (int s = 0; s < 6; ++s) links += fmt::format(" {0}L{1}-{0}S{2}", tree, l, s);
  }
  const Fabric fabric = draw(nodes + ";" + links + " AS0-BS0 AS1-BS1");
  const FatTree tree = *rank(fabric);
  EXPECT_EQ(tree.num_levels(), 2U);
  EXPECT_EQ(count(tree, Kind::kHostlessLeaf), 0U);
}

// From below leaves of the higher tree, its hosts reach all others by paths up and down.
TEST(Rank, HangsALowerTreeBelowTheLeavesThatCarryIt) {
  std::string nodes, links;
  for (const char pod : {'A', 'B', 'C'}) {
    for (int l = 0; l < 4; ++l) nodes += fmt::format("{}L{}:4 ", pod, l);
    for (int m = 0; m < 2; ++m) {
      nodes += fmt::format("{}M{} ", pod, m);
      for (int l = 0; l < 4; ++l) links += fmt::format(" {0}L{1}-{0}M{2}", pod, l, m);
      for (int t = 0; t < 2; ++t) links += fmt::format(" {}M{}-T{}", pod, m, 2 * m + t);
    }
  }
  for (int t = 0; t < 4; ++t) nodes += fmt::format("T{} ", t);
  for (int l = 0; l < 3; ++l) {
    nodes += fmt::format("old{}:4 ", l);
    for (int s = 0; s < 2; ++s) links += fmt::format(" old{}-OS{}", l, s);
  }
  const Fabric fabric = draw(nodes + "OS0 OS1;" + links + " OS0-AL0 OS1-BL0");
  const FatTree tree = *rank(fabric);
  EXPECT_LT(level_of(tree, "old0"), level_of(tree, "OS0"));
  EXPECT_LT(level_of(tree, "OS0"), level_of(tree, "AL0"));
  EXPECT_LT(level_of(tree, "AL0"), level_of(tree, "AM0"));
  EXPECT_EQ(count(tree, Kind::kHostlessLeaf), 0U);
}

TEST(Rank, PutsHostsAtTwoDepthsWhereTheyAre) {
  const Fabric fabric = test::hosts_at_two_depths();
  const FatTree tree = *rank(fabric);
  EXPECT_LT(level_of(tree, "L0"), level_of(tree, "S0"));
  EXPECT_LT(level_of(tree, "S0"), level_of(tree, "T0"));
  EXPECT_LT(level_of(tree, "L2"), level_of(tree, "T0"));
}

TEST(Rank, HangsALeafBelowALeafThatCarriesIt) {
  const Fabric fabric = draw("L0:4 L1:4 L2:4 X:4 S0 S1; L0-S0 L0-S1 L1-S0 L1-S1 L2-S0 L2-S1 X-L0");
  const FatTree tree = *rank(fabric);
  EXPECT_LT(level_of(tree, "X"), level_of(tree, "L0"));
  EXPECT_LT(level_of(tree, "L0"), level_of(tree, "S0"));
}

// As one top above both spines it would let them reach each other; all else is the same.
TEST(Rank, TakesALeafWithFewHostsForALeaf) {
  const Fabric fabric = draw("L0:1 L1:4 L2:4 S0 S1; L0-S0 L0-S1 L1-S0 L1-S1 L2-S0 L2-S1");
  const FatTree tree = *rank(fabric);
  EXPECT_EQ(level_of(tree, "L0"), 0U);
  EXPECT_EQ(tree.num_levels(), 2U);
  EXPECT_TRUE(tree.irregularities().empty());
}

TEST(Rank, TakesASpineWithHostsForASpine) {
  const Fabric fabric = test::host_on_spine();
  const FatTree tree = *rank(fabric);
  EXPECT_EQ(level_of(tree, "S0"), level_of(tree, "S1"));
  EXPECT_LT(level_of(tree, "L0"), level_of(tree, "S0"));
}

TEST(Rank, NamesBothEndsOfALeafToLeafLink) {
  const Fabric fabric = test::leaf_to_leaf_link();
  const FatTree tree = *rank(fabric);
  ASSERT_EQ(count(tree, Kind::kSameLevelLink), 1U);
  const auto& found = tree.irregularities();
  const auto it =
      std::find_if(found.begin(), found.end(), [](const Irregularity& i) { return i.kind == Kind::kSameLevelLink; });
  EXPECT_THAT(it->text, HasSubstr("(L0)"));
  EXPECT_THAT(it->text, HasSubstr("(L1)"));
}

TEST(Rank, FindsTheSwitchThatLacksAnUplinkAndTheThinPortGroup) {
  const FatTree lost = *rank(draw("L0:2 L1:2 L2:2 S0 S1; L0-S0 L0-S1 L1-S0 L1-S1 L2-S0"));
  EXPECT_EQ(count(lost, Kind::kMissingUplinks), 1U);
  const Fabric thin = test::missing_parallel_link();
  EXPECT_EQ(count(*rank(thin), Kind::kMissingParallelLink), 1U);
  EXPECT_EQ(count(*rank(thin), Kind::kMissingUplinks), 0U) << "it is the same cable";
  const FatTree both = *rank(draw("L0:2 L1:2 L2:2 S0 S1; L0-S0 L0-S0 L0-S1 L0-S1 L1-S0 L1-S0 L1-S1 L1-S1 L2-S0"));
  EXPECT_EQ(count(both, Kind::kMissingParallelLink), 1U);
  EXPECT_EQ(count(both, Kind::kMissingUplinks), 1U) << "those to S1";
}

TEST(Rank, DirectsTheLinksBetweenSpinesOfAMegaFlyTowardOneOfThem) {
  const Fabric fabric = *generate_megafly({5, 2, 2, 2, 2});
  const FatTree tree = *rank(fabric);
  const UpDownCosts costs(tree);
  std::size_t tops = 0;
  for (const SwitchId a : fabric.switches()) {
    tops += tree.up_groups(a).empty() ? 1 : 0;
    for (const SwitchId b : fabric.switches()) EXPECT_NE(costs.cost(a, b), kUnreachable);
  }
  EXPECT_EQ(tops, 1U);
}

TEST(Rank, NumbersDisconnectedPartsAndListsThem) {
  const Fabric fabric = test::two_subnets();
  const FatTree tree = *rank(fabric);
  EXPECT_EQ(tree.num_components(), 2U);
  EXPECT_EQ(count(tree, Kind::kDisconnectedPart), 1U);
  EXPECT_NE(tree.component(switch_named(fabric, "L0")), tree.component(switch_named(fabric, "L2")));
}

// Double cables in one of two fabrics of a subnet are no model for the other.
TEST(Rank, JudgesEachPartByItself) {
  const Fabric fabric = draw("A0:2 A1:2 SA; A0-SA A1-SA B0:2 B1:2 B2:2 SB; B0-SB B0-SB B1-SB B1-SB B2-SB B2-SB");
  const FatTree tree = *rank(fabric);
  EXPECT_EQ(count(tree, Kind::kMissingParallelLink), 0U);
  EXPECT_EQ(count(tree, Kind::kMissingUplinks), 0U);
}

TEST(Rank, NamesThePartThatIsCutOffNotTheRest) {
  const Fabric fabric = draw("L0:2 L1:2 L2:2 S0; L1-S0 L2-S0");
  const FatTree tree = *rank(fabric);
  ASSERT_EQ(count(tree, Kind::kDisconnectedPart), 1U);
  EXPECT_THAT(tree.irregularities().front().text, testing::EndsWith("(L0) has no cable to the rest"));
}

TEST(Rank, ObeysTheRootList) {
  const Fabric fabric = draw("A:1 B C:1; A-B B-C");
  RankOptions options;
  options.roots = {fabric.at(switch_named(fabric, "A")).guid};
  const FatTree tree = *rank(fabric, options);
  EXPECT_EQ(level_of(tree, "A"), 2U);
  EXPECT_EQ(level_of(tree, "C"), 0U);
}

TEST(Rank, TakesTheSwitchOfACaThatTheRootListNames) {
  const Fabric fabric = draw("A:1 B C:1; A-B B-C");
  RankOptions options;
  options.roots = {fabric.at(test::endport_named(fabric, "h0")).port_guid};
  EXPECT_EQ(level_of(*rank(fabric, options), "A"), 2U);
}

TEST(Rank, ObeysTheComputeNodeList) {
  const Fabric fabric = draw("A:3 B:1 C:3; A-B B-C");
  RankOptions options;
  options.compute_ports = {fabric.at(test::endport_named(fabric, "h3")).port_guid};  // the host of B
  const FatTree tree = *rank(fabric, options);
  EXPECT_EQ(level_of(tree, "B"), 0U);
  EXPECT_EQ(level_of(tree, "A"), 1U);
}

TEST(Rank, RefusesAListWithoutAnyGuidOfThisFabric) {
  const Fabric fabric = test::two_level_tree();
  RankOptions options;
  options.roots = {Guid{0xABC}};
  const Result<FatTree> tree = rank(fabric, options);
  ASSERT_FALSE(tree.has_value());
  EXPECT_THAT(tree.error().text(),
              HasSubstr("none of the 1 GUID in the root list is in this fabric: 0x0000000000000abc; the "
                        "file of root_guid_file or --roots takes GUIDs of switches"));
}

TEST(Rank, AcceptsFabricsWithoutSwitchesOrHosts) {
  EXPECT_EQ(rank(draw("-:2"))->num_levels(), 0U);
  EXPECT_EQ(rank(draw("A-B"))->num_components(), 1U);
}

TEST(Rank, RefusesAChainThatNoPacketCouldCross) {
  std::string chain = "X0:1";
  for (int i = 1; i < 300; ++i) chain += " X" + std::to_string(i - 1) + "-X" + std::to_string(i);
  const Fabric fabric = draw(chain);
  const Result<FatTree> tree = rank(fabric);
  ASSERT_FALSE(tree.has_value());
  EXPECT_THAT(tree.error().text(), HasSubstr("levels high"));
}

TEST(Rank, SurvivesDamageWithTheLevelsOfTheWholeTree) {
  const Fabric whole = test::pgft("3;4,4,6;1,4,3;1,1,1");
  const Fabric fabric = *degrade(whole, {.links = 40, .seed = 7});
  const FatTree before = *rank(whole);
  const FatTree after = *rank(fabric);
  for (const SwitchId s : whole.switches()) EXPECT_EQ(before.level(s), after.level(s)) << whole.label(s);
}

TEST(Groups, AreOrderedByTheGuidOfTheFarSwitchNotByPort) {
  const Fabric fabric = draw("S1 S0 L0:1 L1:1; L0-S0 L0-S1 L1-S0 L1-S1 L0-S1");
  const FatTree tree = *rank(fabric);
  const auto up = tree.up_groups(switch_named(fabric, "L0"));
  ASSERT_EQ(up.size(), 2U);
  EXPECT_EQ(up[0].remote, switch_named(fabric, "S1")) << "named first, so its GUID is the lower";
  EXPECT_THAT(tree.ports(up[0]), testing::ElementsAre(PortNum{3}, PortNum{4}));
  EXPECT_THAT(tree.ports(up[1]), testing::ElementsAre(PortNum{2}));
}

TEST(OrientFromRoot, LeavesNoPairWithoutAnUpwardWayToTheRoot) {
  const Fabric fabric = test::ring_of_five();
  const SwitchId root = switch_named(fabric, "R2");
  const FatTree tree = *orient_from_roots(*rank(fabric), {root});
  for (const SwitchId s : fabric.switches()) EXPECT_EQ(tree.up_groups(s).empty(), s == root);
}

}  // namespace
}  // namespace espalier
