// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/routes/path_explanation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "core/tree/rank.h"
#include "tests/analysis/fill_tables.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"

namespace espalier::test {
namespace {

using ::testing::ElementsAre;
using Reason = ExplainedHop::Reason;

// A drawn fabric with tables that a test changes as it likes.
struct Scene {
  Fabric fabric;
  FatTree tree = rank(fabric).value();
  UpDownCosts costs{tree};
  ForwardingTables tables = route_shortest(fabric);

  [[nodiscard]] SwitchId at(const char* name) const { return switch_named(fabric, name); }
  [[nodiscard]] Lid lid(const char* host) const { return fabric.at(endport_named(fabric, host)).lid; }
  // The number-th port (from 0) of one switch to another.
  [[nodiscard]] PortNum port(const char* from, const char* to, std::size_t number = 0) const {
    for (const PortNum p : fabric.ports(at(from))) {
      const Peer& peer = fabric.peer(at(from), p);
      if (peer.is_switch() && peer.as_switch() == at(to) && number-- == 0) return p;
    }
    return kNoPort;
  }
  void send(const char* from, const char* host, const char* to, std::size_t number = 0) {
    tables.set(at(from), lid(host), port(from, to, number));
  }
  [[nodiscard]] PathExplanation explain(const char* from, const char* host) const {
    return explain_path(tree, costs, tables, at(from), lid(host));
  }
};

std::vector<Reason> reasons(const PathExplanation& path) {
  std::vector<Reason> list;
  for (const ExplainedHop& hop : path.hops) list.push_back(hop.reason);
  return list;
}

TEST(PathExplanation, OnShortestUpDownPathsNumbersGroupsByGuidAndSaysHowManyThereWere) {
  Scene scene{two_level_tree()};
  scene.send("L0", "h2", "S1");
  const PathExplanation path = scene.explain("L0", "h2");
  ASSERT_THAT(reasons(path), ElementsAre(Reason::kUp, Reason::kDown, Reason::kDelivered));
  EXPECT_EQ(path.hops[0].group, 2U);
  EXPECT_EQ(path.hops[0].choices.size(), 2U);
  EXPECT_EQ(path.hops[0].num_ports(), 2U);
  EXPECT_EQ(path.hops[0].far_port, scene.port("S1", "L0"));
  EXPECT_EQ(path.hops[1].choices.size(), 1U);
  EXPECT_TRUE(path.hops[2].choices.empty());
  EXPECT_EQ(path.num_links(), 2U);
  EXPECT_EQ(path.shortest, 2);
  EXPECT_TRUE(path.arrives());
}

TEST(PathExplanation, CountsParallelLinks) {
  Scene scene{missing_parallel_link()};
  scene.send("L0", "h4", "S0", 1);
  const PathExplanation path = scene.explain("L0", "h4");
  ASSERT_EQ(path.hops[0].reason, Reason::kUp);
  EXPECT_EQ(path.hops[0].link, 2U);
  EXPECT_EQ(path.hops[0].num_links, 2U);
  EXPECT_EQ(path.hops[0].num_ports(), 4U);
}

TEST(PathExplanation, SaysWhereAPacketTurns) {
  // L0 -> S0 -> L1 -> S1 -> L2, though S0 has a link to L2.
  Scene scene{two_level_tree()};
  scene.send("L0", "h4", "S0");
  scene.send("S0", "h4", "L1");
  scene.send("L1", "h4", "S1");
  const PathExplanation path = scene.explain("L0", "h4");
  EXPECT_THAT(reasons(path),
              ElementsAre(Reason::kUp, Reason::kLongerDown, Reason::kTurn, Reason::kDown, Reason::kDelivered));
  EXPECT_EQ(path.hops[1].group, 0U);
  EXPECT_EQ(path.hops[2].group, 2U);  // for L1's own traffic it would be a shortest path
}

TEST(PathExplanation, KnowsThatTwoLeavesWithoutAnUpDownPathNeedATurn) {
  Scene scene{pair_without_up_down_path()};
  const PathExplanation path = scene.explain("L0", "h4");
  EXPECT_EQ(path.shortest, kUnreachable);
  EXPECT_TRUE(path.hops[0].choices.empty());
  EXPECT_THAT(reasons(path),
              ElementsAre(Reason::kLongerUp, Reason::kLongerDown, Reason::kTurn, Reason::kDown, Reason::kDelivered));
}

TEST(PathExplanation, CallsALongWayUpLonger) {
  // M0 has L1 below it and sends its packet over the top.
  Scene scene{three_level_tree()};
  scene.send("L0", "h2", "M0");
  scene.send("M0", "h2", "T0");
  scene.send("T0", "h2", "M0");
  const PathExplanation path = scene.explain("L0", "h2");
  EXPECT_THAT(reasons(path), ElementsAre(Reason::kUp, Reason::kLongerUp, Reason::kDown));
  EXPECT_TRUE(path.circles);
  EXPECT_FALSE(path.arrives());
}

TEST(PathExplanation, EndsWhereATableDoes) {
  Scene scene{two_level_tree()};
  scene.send("L0", "h2", "S0");
  scene.tables.set(scene.at("S0"), scene.lid("h2"), kNoPort);
  const PathExplanation path = scene.explain("L0", "h2");
  EXPECT_THAT(reasons(path), ElementsAre(Reason::kUp, Reason::kBroken));
  EXPECT_EQ(path.hops[1].step.kind, Step::Kind::kMissingEntry);
  EXPECT_EQ(path.hops[1].choices.size(), 1U);  // what would have been right
}

TEST(PathExplanation, TakesSwitchLidsAndStartsAnywhere) {
  Scene scene{aggregation_nodes()};
  const PathExplanation path =
      explain_path(scene.tree, scene.costs, scene.tables, scene.at("S0"), scene.fabric.at(scene.at("S1")).lid);
  EXPECT_THAT(reasons(path), ElementsAre(Reason::kLongerDown, Reason::kTurn, Reason::kDelivered));
}

TEST(PathExplanation, OfEveryPairOfEveryDrawnFabricArrivesWithAsManyLinksAsTheWalk) {
  for (const NamedFabric& named : all_drawn_fabrics()) {
    const FatTree tree = rank(named.fabric).value();
    const UpDownCosts costs(tree);
    const ForwardingTables tables = route_tree(named.fabric);
    for (const SwitchId s : named.fabric.switches())
      for (std::size_t i = 1; i <= index(named.fabric.top_lid()); ++i) {
        const Lid lid = id_at<Lid>(i);
        const SwitchId goal = named.fabric.destination_switch(lid);
        if (goal == kNoSwitch || tree.component(goal) != tree.component(s)) continue;
        const PathExplanation path = explain_path(tree, costs, tables, s, lid);
        EXPECT_TRUE(path.arrives()) << named.name;
        EXPECT_EQ(path.num_links(), walk(named.fabric, tables, s, lid).channels.size()) << named.name;
      }
  }
}

}  // namespace
}  // namespace espalier::test
