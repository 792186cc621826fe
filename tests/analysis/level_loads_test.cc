// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/congestion/level_loads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/analysis/congestion/channel_load.h"
#include "core/analysis/congestion/visible_balance.h"
#include "core/tree/rank.h"
#include "tests/analysis/fill_tables.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"

namespace espalier::test {
namespace {

using testing::Each;
using testing::ElementsAre;

TEST(LevelLoads, AreEvenOnATreeWithDmodkUnderAllToAll) {
  const char* const spec = "3;4,4,4;1,4,4;1,1,1";
  const Fabric fabric = pgft(spec);
  const FatTree tree = rank(fabric).value();
  const HostRoutes routes(fabric, route_dmodk(fabric, PgftSpec::parse(spec).value()), all_endports(fabric));
  const auto loads = level_loads(tree, channel_loads(routes, {TrafficPattern::Kind::kAllToAll, 1}, 0).flows);
  ASSERT_EQ(loads.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(loads[i].level, Level{static_cast<std::uint8_t>(i / 2)});
    EXPECT_EQ(loads[i].direction, i % 2 == 0 ? LevelLoad::Direction::kUp : LevelLoad::Direction::kDown);
    EXPECT_EQ(loads[i].sorted.size(), 64U);
    // 64 hosts; 60 on other leaves, 48 in other pods.
    EXPECT_THAT(loads[i].sorted, Each(i < 2 ? 60U : 48U));
    EXPECT_EQ(loads[i].mean(), i < 2 ? 60.0 : 48.0);
  }
}

TEST(LevelLoads, AreCountedInAtMostSixteenBins) {
  LevelLoad load{Level{0}, LevelLoad::Direction::kUp, {0, 0, 3, 15}};
  EXPECT_EQ(load.bin_width(), 1U);
  EXPECT_THAT(load.bins(), ElementsAre(2, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1));
  load.sorted = {1, 2, 16};
  EXPECT_EQ(load.bin_width(), 2U);
  EXPECT_THAT(load.bins(), ElementsAre(1, 1, 0, 0, 0, 0, 0, 0, 1));
  load.sorted = {1000};
  EXPECT_LE(load.bins().size(), 16U);
  EXPECT_EQ(load.bins().back(), 1U);
}

TEST(LevelLoads, TellUpFromDown) {
  const Fabric fabric = draw("L0:3 L1:3 ; L0-S0 L1-S0 L0-S1 L1-S1");
  const FatTree tree = rank(fabric).value();
  std::vector<std::uint64_t> flows(fabric.num_channels());
  const SwitchId leaf = switch_named(fabric, "L0");
  flows[index(fabric.channel(leaf, PortNum{4}))] = 7;
  const auto loads = level_loads(tree, flows);
  ASSERT_EQ(loads.size(), 2U);
  EXPECT_THAT(loads[0].sorted, ElementsAre(0, 0, 0, 7));
  EXPECT_THAT(loads[1].sorted, ElementsAre(0, 0, 0, 0));
}

TEST(VisibleBalance, CountsLidsOfHostsPerPortAsOpensmDoes) {
  const Fabric fabric = draw("L0:3 L1:2 ; L0-S0 L1-S0 L0-S1 L1-S1", 1);
  const FatTree tree = rank(fabric).value();
  ForwardingTables tables = route_shortest(fabric);
  // Of L0 all four LIDs of L1's hosts by S0; of L1 five by S0, one by S1.
  for (const EndportId e : fabric.endports())
    for (std::size_t offset = 0; offset < 2; ++offset) {
      const bool on_l0 = fabric.at(e).leaf == switch_named(fabric, "L0");
      const PortNum by_s0{static_cast<std::uint8_t>(on_l0 ? 3 : 4)};
      tables.set(switch_named(fabric, on_l0 ? "L1" : "L0"), lid_at_offset(fabric.at(e).lid, offset), by_s0);
    }
  const Endport& h0 = fabric.at(endport_named(fabric, "h0"));
  tables.set(switch_named(fabric, "L1"), h0.lid, PortNum{4});
  const auto balance = visible_balance(tree, tables);
  const auto of = [&](const char* name) { return balance[index(switch_named(fabric, name))]; };
  EXPECT_EQ(of("L0").up.num_ports, 2U);
  EXPECT_EQ(of("L0").up.min, 0U);
  EXPECT_EQ(of("L0").up.max, 4U);
  EXPECT_EQ(of("L1").up.min, 1U);
  EXPECT_EQ(of("L1").up.spread(), 4U);
  EXPECT_EQ(of("S0").up.num_ports, 0U);
  EXPECT_EQ(of("S0").all.min, 4U);
  EXPECT_EQ(of("S0").all.max, 6U);
}

}  // namespace
}  // namespace espalier::test
