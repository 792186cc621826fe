// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What all engines promise, and what single members of the family add.
#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <set>

#include "core/analysis/congestion/congestion.h"
#include "core/analysis/routes/walk.h"
#include "core/analysis/soundness/verify.h"
#include "core/engines/engines.h"
#include "core/fabric/faults.h"
#include "core/tree/order/node_order.h"
#include "core/tree/rank.h"
#include "tests/support/engines.h"
#include "tests/support/fabrics.h"
#include "tests/support/without.h"

namespace espalier {
namespace {

using test::pgft;

ForwardingTables tables_of(std::string_view engine, const FatTree& tree, std::uint64_t seed = 1) {
  EngineOptions options;
  options.seed = seed;
  return make_engine(engine, options)->route(tree)->tables;
}

double worst_shift(std::string_view engine, const Fabric& fabric) {
  const FatTree tree = *rank(fabric);
  const std::vector<EndportId> hosts = topological_order(tree, UpDownCosts(tree)).hosts;
  return shift_risk(HostRoutes(fabric, tables_of(engine, tree), hosts)).max();
}

TEST(EveryEngine, GivesTheSameTablesWithOneThreadAndWithTwo) {
  const Fabric whole = pgft("3;4,3,4;1,4,3;1,1,1");
  const Fabric leiserson = pgft("3;3,3,3;1,1,1;1,3,9");
  const Fabric dragonfly = test::generated("dragonfly", "2,4,2,9");
  const Fabric hurt = *degrade(whole, {.links = 6});
  for (const std::string_view engine : engine_names()) {
    const Fabric& fabric = engine == "leiserson"             ? leiserson
                           : engine.starts_with("dragonfly") ? dragonfly
                           : test::may_decline(engine)       ? whole
                                                             : hurt;
    const FatTree tree = *rank(fabric);
    ForwardingTables one;
    ForwardingTables two;
    tbb::task_arena(1).execute([&] { one = tables_of(engine, tree); });
    tbb::task_arena(2).execute([&] { two = tables_of(engine, tree); });
    EXPECT_EQ(one, two) << engine;
  }
}

TEST(RandomEngines, ObeyTheSeed) {
  const Fabric fabric = pgft("3;3,3,3;1,3,3;1,1,1");
  const FatTree tree = *rank(fabric);
  for (const char* engine : {"randsp", "ftree-random", "bfs-random", "bfs-ftree-random"}) {
    EXPECT_EQ(tables_of(engine, tree, 7), tables_of(engine, tree, 7)) << engine;
    EXPECT_NE(tables_of(engine, tree, 7), tables_of(engine, tree, 8)) << engine;
  }
}

// A draw belongs to a switch, a destination and a port: who has none of the lost link's choices draws as before.
TEST(RandomEngines, ChangeLittleWhenOneLinkIsLost) {
  const Fabric whole = pgft("2;6,8;1,6;1,1");
  const Fabric hurt = without_link(whole, SwitchId{0}, PortNum{8});
  const FatTree before = *rank(whole);
  const FatTree after = *rank(hurt);
  for (const char* engine : {"randsp", "ftree-random"}) {
    const ForwardingTables a = tables_of(engine, before);
    const ForwardingTables b = tables_of(engine, after);
    std::size_t changed = 0;
    for (const SwitchId s : whole.switches())
      for (std::size_t lid = 0; lid < a.width(); ++lid) changed += a.at(s, id_at<Lid>(lid)) != b.at(s, id_at<Lid>(lid));
    EXPECT_GT(changed, 0U) << engine;
    EXPECT_LT(changed, a.width() * whole.num_switches() / 10) << engine;
  }
}

TEST(FtreeRandom, LetsAllPacketsToOneHostShareOneTop) {
  const Fabric fabric = pgft("3;3,3,3;1,3,3;1,1,1");
  const FatTree tree = *rank(fabric);
  const ForwardingTables tables = tables_of("ftree-random", tree);
  for (const EndportId e : fabric.endports()) {
    std::set<SwitchId> tops;
    for (const EndportId other : fabric.endports())
      for (const ChannelId c : walk(fabric, tables, fabric.at(other).leaf, fabric.at(e).lid).channels)
        if (tree.up_groups(fabric.source(c)).empty()) tops.insert(fabric.source(c));
    EXPECT_EQ(tops.size(), 1U) << fabric.label(e);
  }
}

// Several paths down from a top: by the top's own divider they do not fit together, by the leaf's they do.
TEST(Pqft, BalancesShiftsOnQuasiFatTreesWhereDmodcDoesNot) {
  const Fabric fabric = test::generated("qft", "3;12,4,6;1,2,8;1,2,1");
  EXPECT_EQ(worst_shift("pqft", fabric), 3) << "twelve hosts on four cables upward";
  EXPECT_GT(worst_shift("dmodc", fabric), 3);
}

TEST(Pqft, EqualsDmodcWhereThereIsOneWayDown) {
  for (const char* spec : {"2;4,4;1,2;1,2", "3;4,3,4;1,4,3;1,1,1"}) {
    const Fabric fabric = pgft(spec);
    const FatTree tree = *rank(fabric);
    EXPECT_EQ(tables_of("pqft", tree), tables_of("dmodc", tree)) << spec;
  }
}

// Nothing is known of a ring's levels, and nothing needs to be: no warning, no detour.
TEST(BreadthFirstEngines, RouteFabricsThatAreNoTreesWithoutFurtherAdo) {
  const Fabric fabric = test::ring_of_five();
  const FatTree tree = *rank(fabric);
  for (const char* engine : {"bfs-dmodc", "bfs-ftree", "bfs-ftree2", "bfs-ftree-random", "bfs-random"}) {
    const Routing routing = *make_engine(engine)->route(tree);
    EXPECT_TRUE(routing.warnings.empty()) << engine;
    EXPECT_TRUE(verify(fabric, routing.tables).ok()) << engine;
  }
}

}  // namespace
}  // namespace espalier
