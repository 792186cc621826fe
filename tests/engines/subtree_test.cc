// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/subtree.h"

#include <gtest/gtest.h>

#include "core/analysis/verify.h"
#include "core/engines/channel_order.h"
#include "core/engines/closed_form.h"
#include "core/engines/complete_tables.h"
#include "core/engines/turns.h"
#include "core/fabric/faults.h"
#include "core/fabric/pgft.h"
#include "core/tree/rank.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

using test::draw;
using test::switch_named;

// Everything that the steps below share.
struct Steps {
  explicit Steps(Fabric f)
      : fabric(std::move(f)),
        tree(*rank(fabric)),
        costs(tree),
        order(topological_order(tree, costs)),
        targets(tree, order),
        tables(closed_form(tree, costs, order)) {}
  Fabric fabric;
  FatTree tree;
  UpDownCosts costs;
  NodeOrder order;
  LidTargets targets;
  ForwardingTables tables;
};

TEST(SubtreeRoot, IsALeafThatReachesEverySwitch) {
  const Steps steps(test::three_level_tree());
  EXPECT_EQ(subtree_root(steps.tree, steps.costs, 0), switch_named(steps.fabric, "L0"));
}

TEST(SubtreeRoot, PassesOverALeafThatLacksAnUplink) {
  const Steps steps(draw("L0:1 L1:1 L2:1 S0 S1; L0-S0 L1-S0 L1-S1 L2-S0 L2-S1"));
  EXPECT_EQ(subtree_root(steps.tree, steps.costs, 0), switch_named(steps.fabric, "L1"));
}

// The paper takes leaf 0 here. No leaf reaches all three spines.
TEST(SubtreeRoot, IsNobodyWhereNoSwitchReachesAll) {
  const Steps steps(draw("L0:1 L1:1 L2:1 S0 S1 S2; L0-S0 L0-S1 L1-S1 L1-S2 L2-S2 L2-S0"));
  EXPECT_EQ(subtree_root(steps.tree, steps.costs, 0), kNoSwitch);
}

// Middles M0 and M1 of one pod share their tops: two ways from T0 down to L0. A leaf would not do, a middle does.
TEST(SubtreeRoot, HasASingleWayDownFromEverythingAboveIt) {
  const Steps steps(draw("L0:1 L1:1 M0 M1 T0 T1; L0-M0 L0-M1 L1-M0 L1-M1 M0-T0 M0-T1 M1-T0 M1-T1"));
  EXPECT_EQ(subtree_root(steps.tree, steps.costs, 0), switch_named(steps.fabric, "M0"));
}

// Every down-up turn of the tables lies on switches above or at the root.
TEST(Subtree, HoldsEveryTurn) {
  Steps steps(test::with_lmc(*generate_pgft(*PgftSpec::parse("3;2,3,3;1,3,2;1,1,1")), 0));
  const SwitchId root = subtree_root(steps.tree, steps.costs, 0);
  route_through_subtree(steps.tree, steps.costs, steps.targets, root, steps.tables);
  const auto above_root = [&](SwitchId s) { return steps.costs.down_cost(s, root) != kUnreachable; };
  std::size_t turns = 0;
  for (const SwitchId s : steps.fabric.switches())
    for (std::size_t lid = 1; lid < steps.tables.width(); ++lid) {
      const PortNum out = steps.tables.at(s, id_at<Lid>(lid));
      if (out == kManagementPort || !steps.fabric.peer(s, out).is_switch()) continue;
      const SwitchId middle = steps.fabric.peer(s, out).as_switch();
      const PortNum then = steps.tables.at(middle, id_at<Lid>(lid));
      if (then == kManagementPort || !steps.fabric.peer(middle, then).is_switch()) continue;
      const SwitchId end = steps.fabric.peer(middle, then).as_switch();
      if (steps.tree.level(middle) >= steps.tree.level(s) || steps.tree.level(end) <= steps.tree.level(middle))
        continue;
      ++turns;
      EXPECT_TRUE(above_root(s) && above_root(middle) && above_root(end));
    }
  EXPECT_GT(turns, 0U);
  EXPECT_TRUE(verify(steps.fabric, steps.tables).ok());
}

TEST(Turns, JoinWhatNoSingleSubtreeCould) {
  Steps steps(draw("L0:1 L1:1 L2:1 S0 S1 S2; L0-S0 L0-S1 L1-S1 L1-S2 L2-S2 L2-S0"));
  ASSERT_TRUE(route_by_turns(steps.tree, steps.costs, steps.targets, steps.tables).has_value());
  EXPECT_TRUE(verify(steps.fabric, steps.tables).ok());
}

TEST(Turns, GiveSoundTablesWhereTheSubtreeWouldDoToo) {
  Steps steps(test::with_lmc(*generate_pgft(*PgftSpec::parse("3;2,3,3;1,3,2;1,1,1")), 1));
  ASSERT_TRUE(route_by_turns(steps.tree, steps.costs, steps.targets, steps.tables).has_value());
  EXPECT_TRUE(verify(steps.fabric, steps.tables).ok());
}

TEST(CompleteTables, NeedNoFallbackOnHeavilyDamagedTrees) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Fabric whole = test::with_lmc(*generate_pgft(*PgftSpec::parse("3;4,4,6;1,4,3;1,1,1")), 0);
    Damage damage;
    damage.seed = seed;
    damage.links = whole.num_switch_links() / 3;
    Steps steps(*degrade(whole, damage));
    EXPECT_TRUE(complete_tables(steps.tree, steps.costs, steps.targets, steps.tables).has_value()) << "seed " << seed;
    EXPECT_TRUE(verify(steps.fabric, steps.tables).ok()) << "seed " << seed;
  }
}

// L0 and L1 below S0 and S1: turns at L0 in both directions are fine, but then L1 can have none from S0 to S1 and back
// only if no packet closes the ring S0, L0, S1, L1.
TEST(ChannelOrder, RefusesTheDependencyThatClosesACycleAndForgetsIt) {
  const Fabric fabric = draw("L0 L1 S0 S1; L0-S0 L0-S1 L1-S0 L1-S1");
  const FatTree tree = *rank(fabric);
  const SwitchId l0 = switch_named(fabric, "L0"), l1 = switch_named(fabric, "L1");
  const SwitchId s0 = switch_named(fabric, "S0"), s1 = switch_named(fabric, "S1");
  const auto port = [&](SwitchId from, SwitchId to) {
    for (std::size_t p = 1; p <= fabric.at(from).num_ports; ++p)
      if (const Peer peer = fabric.peer(from, id_at<PortNum>(p)); peer.is_switch() && peer.as_switch() == to)
        return id_at<PortNum>(p);
    return kNoPort;
  };
  const auto channel = [&](SwitchId from, SwitchId to) { return fabric.channel(from, port(from, to)); };
  ChannelOrder order(tree);
  EXPECT_TRUE(order.insert(channel(s0, l0), port(l0, s1)));
  EXPECT_TRUE(order.insert(channel(l0, s1), port(s1, l1)));
  EXPECT_TRUE(order.insert(channel(s1, l1), port(l1, s0)));
  EXPECT_FALSE(order.insert(channel(l1, s0), port(s0, l0)));
  EXPECT_FALSE(order.has(channel(l1, s0), port(s0, l0)));
  EXPECT_TRUE(order.insert(channel(s1, l0), port(l0, s0))) << "the other way round is still free";
}

}  // namespace
}  // namespace espalier
