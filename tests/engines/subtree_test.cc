// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/detours/subtree.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/analysis/soundness/verify.h"
#include "core/engines/detours/complete_tables.h"
#include "core/engines/detours/subtree_plan.h"
#include "core/engines/detours/turn_cycles.h"
#include "core/fabric/faults.h"
#include "core/fabric/generators/directors.h"
#include "tests/engines/steps.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"
#include "tests/support/without.h"

namespace espalier {
namespace {

using test::draw;
using test::pgft;
using test::Steps;
using test::switch_named;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

std::vector<std::string> names(const Fabric& fabric, const std::vector<SwitchId>& switches) {
  std::vector<std::string> result;
  for (const SwitchId s : switches) result.push_back(fabric.at(s).description);
  return result;
}

std::vector<std::string> held(const Steps& steps, const Subtree& subtree) {
  std::vector<SwitchId> switches;
  for (const SwitchId s : steps.fabric.switches())
    if (subtree.holds(s)) switches.push_back(s);
  return names(steps.fabric, switches);
}

GrownSubtree grow(const Steps& steps, std::string_view root) {
  return grow_subtree(steps.problem, switch_named(steps.fabric, root));
}

SubtreePlan plan_of(const Steps& steps, SwitchId away_from = kNoSwitch) {
  return plan_subtrees(steps.problem, 0, away_from);
}

std::vector<std::string> roots(const Steps& steps, const SubtreePlan& plan) {
  std::vector<SwitchId> switches;
  for (const Subtree& subtree : plan.subtrees) switches.push_back(subtree.root);
  return names(steps.fabric, switches);
}

TEST(Subtree, IsAllThatIsAboveALeafOfATree) {
  const Steps steps(test::three_level_tree());
  const auto [subtree, complete] = grow(steps, "L0");
  EXPECT_TRUE(complete);
  EXPECT_THAT(held(steps, subtree), ElementsAre("L0", "M0", "M1", "T0", "T1", "T2", "T3"));
  EXPECT_THAT(subtree.selective, IsEmpty());
  EXPECT_TRUE(subtree.joins(switch_named(steps.fabric, "M0"), switch_named(steps.fabric, "T1")));
  EXPECT_FALSE(subtree.joins(switch_named(steps.fabric, "M2"), switch_named(steps.fabric, "T1")));
  EXPECT_EQ(subtree.climb[switch_named(steps.fabric, "L3")], 2);
  EXPECT_EQ(subtree.climb[switch_named(steps.fabric, "M3")], 1);
  EXPECT_EQ(subtree.climb[switch_named(steps.fabric, "T3")], 0);
}

TEST(Subtree, IsIncompleteWhereTheRootLacksAnUplink) {
  const Steps steps(draw("L0:1 L1:1 L2:1 S0 S1; L0-S0 L1-S0 L1-S1 L2-S0 L2-S1"));
  EXPECT_FALSE(grow(steps, "L0").complete);
  EXPECT_TRUE(grow(steps, "L1").complete);
}

// Middles M0 and M1 of one pod share their tops: two paths from T0 down to L0, of which the subtree takes one.
TEST(Subtree, TakesOneOfTwoWaysDown) {
  const Steps steps(draw("L0:1 L1:1 M0 M1 T0 T1; L0-M0 L0-M1 L1-M0 L1-M1 M0-T0 M0-T1 M1-T0 M1-T1"));
  const auto [subtree, complete] = grow(steps, "L0");
  EXPECT_TRUE(complete);
  EXPECT_THAT(held(steps, subtree), ElementsAre("L0", "M0", "T0", "T1"));
  EXPECT_THAT(names(steps.fabric, subtree.selective), ElementsAre("L0"));
  EXPECT_EQ(subtree.climb[switch_named(steps.fabric, "M1")], 1);
}

// Figure 1 of the paper: two cores, joined by horizontal links between pairs of leaves.
TEST(Subtree, GoesOverAHorizontalLinkToTheOtherCore) {
  const Steps steps(draw("A0:2 A1:2 B0:2 B1:2 ; A0-S0 A0-S1 A1-S0 A1-S1 ; B0-T0 B0-T1 B1-T0 B1-T1 ; A0-B0 A1-B1"));
  const auto [subtree, complete] = grow(steps, "A0");
  EXPECT_TRUE(complete);
  EXPECT_THAT(held(steps, subtree), ElementsAre("A0", "B0", "S0", "S1", "T0", "T1"));
  EXPECT_THAT(subtree.selective, IsEmpty());
  EXPECT_FALSE(grow(steps, "B0").complete) << "its neighbor is below it";
}

TEST(SubtreePlan, TakesTheLowestLeafThatReachesEverySwitchAndIsNotTheSubnetManagers) {
  const Steps steps(draw("L0:1 L1:1 L2:1 S0 S1; L0-S0 L1-S0 L1-S1 L2-S0 L2-S1"));
  EXPECT_THAT(roots(steps, plan_of(steps)), ElementsAre("L1"));
  EXPECT_THAT(roots(steps, plan_of(steps, switch_named(steps.fabric, "L1"))), ElementsAre("L2"));
}

TEST(SubtreePlan, TakesTheSubnetManagersLeafWhereNoOtherWillDo) {
  const Steps steps(draw("L0:1 L1:1 L2:1 S0 S1; L0-S0 L1-S0 L1-S1 L2-S1"));
  EXPECT_THAT(roots(steps, plan_of(steps, switch_named(steps.fabric, "L1"))), ElementsAre("L1"));
}

// The paper takes leaf 0 here. No leaf reaches all three spines.
TEST(SubtreePlan, IsEmptyWhereNoSwitchReachesAll) {
  const Steps steps(draw("L0:1 L1:1 L2:1 S0 S1 S2; L0-S0 L0-S1 L1-S1 L1-S2 L2-S2 L2-S0"));
  EXPECT_THAT(plan_of(steps).subtrees, IsEmpty());
}

TEST(SubtreePlan, HasARootForEachPlaneButTheLast) {
  const Steps steps(pgft("2;4,9;1,4;1,1"));
  const SubtreePlan plan = plan_of(steps);
  ASSERT_EQ(plan.subtrees.size(), 4U);  // the one of the leaves, and those of three planes
  const auto spine = [&](int i) { return switch_named(steps.fabric, fmt::format("L2 0.{}", i)); };
  EXPECT_EQ(plan.between(spine(0), spine(3)).root, plan.subtrees[1].root);
  EXPECT_EQ(plan.between(spine(3), spine(1)).root, plan.subtrees[2].root);
  EXPECT_EQ(plan.between(spine(2), spine(3)).root, plan.subtrees[3].root);
}

// The spine without the link sends to that leaf over whatever plane its root's closed form chooses.
TEST(SubtreePlan, GivesTornPlanesTheRootOfTheLeaves) {
  const Fabric whole = pgft("2;4,9;1,4;1,1");
  const SwitchId spine = switch_named(whole, "L2 0.2");
  const Steps steps(without_link(whole, spine, PortNum{5}));
  const SubtreePlan plan = plan_of(steps);
  EXPECT_EQ(plan.own[spine], 0U);
  EXPECT_EQ(plan.own[switch_named(steps.fabric, "L2 0.1")], 2U);
}

TEST(SubtreePlan, KeepsTheRootsOfOtherPlanesWhenALeafIsGone) {
  const Fabric whole = pgft("2;4,9;1,4;1,1");
  const Steps before(whole);
  const auto old_roots = roots(before, plan_of(before));
  const Steps after(without_switch(whole, switch_named(whole, old_roots[1])));
  const auto new_roots = roots(after, plan_of(after));
  EXPECT_NE(new_roots[1], old_roots[1]);
  EXPECT_EQ(new_roots[2], old_roots[2]);
  EXPECT_EQ(new_roots[3], old_roots[3]);
}

// The drawing at the head of turn_cycles.h, with z as T0 and a second top.
TEST(TurnCycles, AreFoundWhereASubtreeHoldsOneOfTwoWaysDown) {
  const Steps steps(draw("L0:1 L1:1 M0 M1 T0 T1; L0-M0 L0-M1 L1-M0 L1-M1 M0-T0 M0-T1 M1-T0 M1-T1"));
  SubtreePlan plan{{grow(steps, "L0").subtree}, IdVector<SwitchId, std::uint32_t>(steps.fabric.num_switches(), 0)};
  EXPECT_FALSE(turns_close_a_cycle(steps.tree, plan));
  // Trap: M1 is added, a tree still.
  const SwitchId m1 = switch_named(steps.fabric, "M1");
  const SwitchId l0 = switch_named(steps.fabric, "L0");
  for (const PortGroup& down : steps.tree.down_groups(m1))
    if (down.remote == l0) plan.subtrees[0].toward[m1] = &down;
  EXPECT_TRUE(turns_close_a_cycle(steps.tree, plan));
}

// Between M0 and M1 at L0, between M2 and M3 at L2: M0, L0, M1, T2, M3, L2, M2, T0, M0.
TEST(TurnCycles, AreFoundWhereTwoRootsServeTheSamePairOfPlanes) {
  const Steps steps(test::three_level_tree());
  SubtreePlan plan{{grow(steps, "L0").subtree, grow(steps, "L2").subtree},
                   IdVector<SwitchId, std::uint32_t>(steps.fabric.num_switches(), 0)};
  EXPECT_FALSE(turns_close_a_cycle(steps.tree, plan));
  for (const char* name : {"M2", "M3"}) plan.own[switch_named(steps.fabric, name)] = 1;
  EXPECT_TRUE(turns_close_a_cycle(steps.tree, plan));
}

// What complete_tables() makes of this fabric; the plan must exist.
void expect_all_turns_in_the_plan(const Fabric& fabric, const std::string& what) {
  Steps steps(fabric);
  const SubtreePlan plan = plan_of(steps);
  ASSERT_THAT(plan.subtrees, Not(IsEmpty())) << what;
  ASSERT_TRUE(complete_tables(steps.problem, {}, steps.tables).has_value()) << what;
  const auto turns = test::turns_of(steps.tree, steps.tables);
  EXPECT_THAT(turns, Not(IsEmpty())) << what;
  for (const auto& [from, at, to] : turns) {
    const Subtree& subtree = plan.between(from, to);
    EXPECT_TRUE(subtree.joins(at, from) && subtree.joins(at, to))
        << what << ": " << fabric.label(from) << ", " << fabric.label(at) << ", " << fabric.label(to);
  }
  EXPECT_TRUE(verify(steps.fabric, steps.tables).ok()) << what;
}

TEST(CompleteTables, TurnOnSubtreesOnly) {
  expect_all_turns_in_the_plan(pgft("2;4,9;1,4;1,2"), "two levels");
  expect_all_turns_in_the_plan(pgft("3;2,3,3;1,3,2;1,1,1"), "three levels");
  expect_all_turns_in_the_plan(pgft("4;2,2,2,3;1,2,2,2;1,1,2,1"), "four levels");
  expect_all_turns_in_the_plan(*generate_directors(*DirectorsSpec::from({{20, 2, 4}, {2, 12}})), "directors");
  expect_all_turns_in_the_plan(test::generated("qft", "3;4,2,4;1,2,2;1,2,1"), "QFT");
  expect_all_turns_in_the_plan(
      draw("A0:2 A1:2 B0:2 B1:2 ; A0-S0 A0-S1 A1-S0 A1-S1 ; B0-T0 B0-T1 B1-T0 B1-T1 ; A0-B0 A1-B1"), "two cores");
  const Fabric whole = pgft("3;4,4,6;1,4,3;1,1,1");
  std::size_t planned = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Damage damage;
    damage.seed = seed;
    damage.links = 1 + seed % 8;
    const Fabric hurt = *degrade(whole, damage);
    if (plan_of(Steps(hurt)).subtrees.empty()) continue;
    ++planned;
    expect_all_turns_in_the_plan(hurt, fmt::format("damage {}", seed));
  }
  EXPECT_GT(planned, 20U);
}

// A top reaches the two others of its plane over the same middle: over different links to it.
TEST(CompleteTables, UseParallelLinksInTurn) {
  Steps steps(pgft("3;2,2,2;1,2,3;1,1,3"));
  ASSERT_TRUE(complete_tables(steps.problem, {}, steps.tables).has_value());
  const SwitchId top = switch_named(steps.fabric, "L3 0.0");
  std::set<PortNum> used;
  std::set<SwitchId> next;
  for (const char* other : {"L3 0.1", "L3 0.2"}) {
    used.insert(steps.tables.at(top, steps.fabric.at(switch_named(steps.fabric, other)).lid));
    next.insert(steps.fabric.peer(top, *used.rbegin()).as_switch());
  }
  EXPECT_EQ(used.size(), 2U);
  EXPECT_EQ(next.size(), 1U);
}

TEST(CompleteTables, SpreadTheOffsetsOfALidRangeOverParallelLinks) {
  const Fabric spines_with_hosts = draw("L0:3 L1:3 S0:1 S1:1 ; L0-S0 L0-S0 L0-S1 L1-S0 L1-S0 L1-S1", 1);
  Steps steps(spines_with_hosts);
  ASSERT_TRUE(complete_tables(steps.problem, {}, steps.tables).has_value());
  const Lid base = steps.fabric.at(test::endport_named(steps.fabric, "h7")).lid;
  const SwitchId s0 = switch_named(steps.fabric, "S0");
  EXPECT_NE(steps.tables.at(s0, base), steps.tables.at(s0, id_at<Lid>(index(base) + 1)));
  EXPECT_TRUE(verify(steps.fabric, steps.tables).ok());
}

TEST(CompleteTables, NeedNoFallbackOnHeavilyDamagedTrees) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Fabric whole = test::pgft("3;4,4,6;1,4,3;1,1,1");
    Steps steps(*degrade(whole, {.links = whole.num_switch_links() / 3, .seed = seed}));
    EXPECT_TRUE(complete_tables(steps.problem, {}, steps.tables).has_value()) << "seed " << seed;
    EXPECT_TRUE(verify(steps.fabric, steps.tables).ok()) << "seed " << seed;
  }
}

// Two pods of two leaves and four middles; every middle is below every top, so that there are four paths down.
Fabric with_several_paths_down() {
  std::string nodes = "T0 T1 T2 T3", links;
  for (const std::string_view pod : {"A", "B"}) {
    nodes += fmt::format(" {0}L0:1 {0}L1:1", pod);
    for (int m = 0; m < 4; ++m) {
      nodes += fmt::format(" {}M{}", pod, m);
      links += fmt::format(" {0}L0-{0}M{1} {0}L1-{0}M{1}", pod, m);
      for (int t = 0; t < 4; ++t) links += fmt::format(" {}M{}-T{}", pod, m, t);
    }
  }
  return draw(nodes + ";" + links);
}

// Entries for hosts that are another port in `now` than after the step before.
std::size_t moved_hosts(const Steps& steps, const ForwardingTables& now) {
  std::size_t moved = 0;
  for (const SwitchId s : steps.fabric.switches())
    for (const EndportId e : steps.fabric.endports()) {
      const Lid lid = steps.fabric.at(e).lid;
      if (steps.tables.at(s, lid) != kNoPort && steps.tables.at(s, lid) != now.at(s, lid)) ++moved;
    }
  return moved;
}

TEST(CompleteTables, MoveNoHostWhereTurnsJoinAllPairsAsWell) {
  std::size_t told_apart = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Steps steps(*degrade(with_several_paths_down(), {.links = 19, .seed = seed}));
    if (plan_of(steps).subtrees.empty()) continue;
    ForwardingTables as_in_the_paper = steps.tables;
    ForwardingTables for_hosts = steps.tables;
    ASSERT_TRUE(complete(steps.problem, {}, as_in_the_paper));
    ASSERT_TRUE(complete(steps.problem, {.host_routes = SwitchPathOptions::HostRoutes::kStay}, for_hosts));
    EXPECT_TRUE(verify(steps.fabric, for_hosts).ok()) << "seed " << seed;
    EXPECT_LE(moved_hosts(steps, for_hosts), moved_hosts(steps, as_in_the_paper)) << "seed " << seed;
    if (moved_hosts(steps, as_in_the_paper) > 0 && moved_hosts(steps, for_hosts) == 0) ++told_apart;
  }
  EXPECT_GT(told_apart, 0U) << "nothing was tested";
}

}  // namespace
}  // namespace espalier
