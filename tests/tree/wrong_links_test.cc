// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/cabling/wrong_links.h"

#include <gtest/gtest.h>

#include <string>

#include "core/fabric/faults.h"
#include "core/fabric/generators/modifiers.h"
#include "core/fabric/generators/site_changes.h"
#include "core/tree/costs.h"
#include "core/tree/rank.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

using test::pgft;

using Kind = Irregularity::Kind;

std::size_t count(const FatTree& tree, Kind kind) {
  std::size_t found = 0;
  for (const Irregularity& irregularity : tree.irregularities()) found += irregularity.kind == kind ? 1 : 0;
  return found;
}

// The drawing of wrong_links.h: A has a cable to M3, which is another pod's.
TEST(WrongLinks, SetsAsideAnUplinkIntoAnotherPod) {
  const Fabric fabric = test::draw(
      "A:2 B:2 C:2 D:2 E:2 F:2;"
      "A-M0 A-M1 A-M2 B-M0 B-M1 B-M2 C-M0 C-M1 C-M2  D-M3 D-M4 D-M5 E-M3 E-M4 E-M5 F-M3 F-M4 F-M5  A-M3;"
      "M0-T0 M3-T0 M1-T1 M4-T1 M2-T2 M5-T2");
  const FatTree tree = *rank(fabric);
  ASSERT_EQ(count(tree, Kind::kMiswiredLink), 1U);
  EXPECT_NE(tree.irregularities().front().text.find("(A) to port 4 of"), std::string::npos)
      << tree.irregularities().front().text;
  EXPECT_EQ(UpDownCosts(tree).cost(test::switch_named(fabric, "A"), test::switch_named(fabric, "D")), 4);
}

// Six leaves: with three, a link between two of them is ranked as if they were tops.
TEST(WrongLinks, SetsAsideANarrowLinkBetweenLeavesAndKeepsAWideOne) {
  const std::string tree =
      "A:6 B:6 C:6 D:6 E:6 F:6; A-S A-T A-U B-S B-T B-U C-S C-T C-U D-S D-T D-U E-S E-T E-U F-S F-T F-U;";
  EXPECT_EQ(count(*rank(test::draw(tree + "A-B")), Kind::kNarrowShortcut), 1U);
  EXPECT_EQ(count(*rank(test::draw(tree + "A-B A-B A-B")), Kind::kNarrowShortcut), 0U);
}

TEST(WrongLinks, KeepsWhatHostsCannotDoWithout) {
  const Fabric fabric = test::draw("A:4 B:4 C:4; A-S A-T B-S B-T; C-A");  // C hangs on A alone
  EXPECT_EQ(count(*rank(fabric), Kind::kNarrowShortcut), 0U);
}

// They are as many as leaves, and would draw chains of leaves into the paths of hosts.
TEST(WrongLinks, SetsAsideARingOfLeaves) {
  std::string text = "A:6 B:6 C:6 D:6 E:6 F:6;";
  for (const char leaf : std::string("ABCDEF")) text += std::string(" ") + leaf + "-S " + leaf + "-T " + leaf + "-U";
  const Fabric fabric = test::draw(text + "; A-B B-C C-D D-E E-F F-A");
  EXPECT_EQ(count(*rank(fabric), Kind::kNarrowShortcut), 6U);
}

// Of many wrong cables each is judged by itself: C hangs on A, the cable from B to D can be done without.
// More than one to four switches, some of them between spines, and hosts have their paths without any.
TEST(WrongLinks, SetsAsideManyStrayLinksOfATwoLevelTree) {
  std::size_t between_spines = 0;
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    const Fabric fabric = change(pgft("2;8,16;1,8;1,1"), {.stray_links = 16, .seed = seed}).value();
    const FatTree tree = *rank(fabric);
    std::size_t between_leaves = 0;
    for (const SwitchId s : fabric.switches())
      for (const PortNum p : fabric.ports(s))
        if (const Peer& peer = fabric.peer(s, p); peer.is_switch() && s < peer.as_switch()) {
          const bool from_leaf = !tree.hosts(s).empty(), to_leaf = !tree.hosts(peer.as_switch()).empty();
          between_leaves += from_leaf && to_leaf ? 1 : 0;
          between_spines += !from_leaf && !to_leaf ? 1 : 0;
        }
    EXPECT_EQ(count(tree, Kind::kNarrowShortcut), between_leaves) << seed;
  }
  EXPECT_GT(between_spines, 0U);
}

TEST(WrongLinks, KeepsOfSeveralThoseThatAreNeeded) {
  const FatTree tree =
      *rank(test::draw("A:6 B:6 C:1 D:6 E:6; A-S A-T A-U B-S B-T B-U D-S D-T D-U E-S E-T E-U; C-A B-D"));
  EXPECT_EQ(count(tree, Kind::kNarrowShortcut), 1U);
}

// Service hosts on spines that only stray cables join take a detour.
TEST(WrongLinks, KeepsNoCableForAFewHostsOnSpines) {
  const Fabric whole = pgft("3;6,6,6;1,6,6;1,1,1");
  for (std::uint64_t seed = 1001; seed <= 1010; ++seed) {
    const Fabric fabric = *change(whole, {.stray_links = 3, .seed = seed});
    const auto found = [](const FatTree& tree) { return tree.context().set_aside.size(); };
    EXPECT_EQ(found(*rank(*modify(fabric, {.service_hosts = 3, .seed = seed}))), found(*rank(fabric))) << seed;
  }
}

TEST(WrongLinks, FindsNothingOnWholeTrees) {
  for (const char* spec : {"2;4,6;1,4;1,1", "3;4,3,4;1,4,2;1,1,1", "3;6,4,6;1,6,4;1,1,1", "4;3,3,3,3;1,3,3,3;1,1,1,1"})
    EXPECT_TRUE(rank(pgft(spec))->context().set_aside.empty()) << spec;
}

// Three pods below two tops, of each pod two leaves without hosts: they look like tops of one pod, and outnumber the
// only real top of each switch.
TEST(WrongLinks, FindsNothingWhereLeavesHaveNoHosts) {
  const Fabric fabric = test::draw(
      "A:2 B:2 C:2 D:2 E:2 F:2;  A-M A-N B-M B-N X-M X-N Y-M Y-N;  C-O C-P D-O D-P V-O V-P W-O W-P;"
      "E-Q E-R F-Q F-R U-Q U-R Z-Q Z-R;  M-S O-S Q-S N-T P-T R-T");
  EXPECT_TRUE(rank(fabric)->context().set_aside.empty());
}

// Cables that are gone make no other cable wrong.
TEST(WrongLinks, FindsNothingOnDamagedTrees) {
  const Fabric whole = pgft("3;6,6,6;1,6,6;1,1,1");
  for (std::uint64_t seed = 1001; seed <= 1020; ++seed) {
    Damage damage;
    damage.seed = seed;
    damage.links = 6 * (seed - 1000);  // of 432
    EXPECT_TRUE(rank(*degrade(whole, damage))->context().set_aside.empty()) << "seed " << seed;
  }
}

// Unless both are of one pod, where the exchange changes nothing.
TEST(WrongLinks, FindsBothCablesOfASwap) {
  const Fabric whole = pgft("3;6,6,6;1,6,6;1,1,1");
  std::size_t found = 0;
  for (std::uint64_t seed = 1001; seed <= 1010; ++seed) {
    const Fabric fabric = *change(whole, {.guids = SiteChanges::Guids::kShuffled, .swapped_uplinks = 1, .seed = seed});
    const std::size_t miswired = count(*rank(fabric), Kind::kMiswiredLink);
    EXPECT_TRUE(miswired == 0 || miswired == 2) << miswired << " with seed " << seed;
    found += miswired / 2;
  }
  EXPECT_GE(found, 7U);
}

}  // namespace
}  // namespace espalier
