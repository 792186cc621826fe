// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Damaged dragonflies: every pair that is connected has a path, on the lanes there are.
#include <gtest/gtest.h>

#include <map>

#include "core/analysis/congestion/channel_load.h"
#include "core/analysis/soundness/verify.h"
#include "core/dragonfly/detect.h"
#include "core/engines/dragonfly/lane_search.h"
#include "core/engines/dragonfly/route_dragonfly.h"
#include "core/engines/engines.h"
#include "core/fabric/faults.h"
#include "core/tree/rank.h"
#include "tests/support/fabrics.h"
#include "tests/support/without.h"

namespace espalier {
namespace {

using test::generated;

// Routes and proves; counts the lanes: at most four of the eight there are.
void expect_sound(const Fabric& fabric, const char* engine, std::map<unsigned, unsigned>& lanes) {
  const auto tree = rank(fabric);
  ASSERT_TRUE(tree.has_value());
  const auto routing = make_engine(engine)->route(*tree);
  ASSERT_TRUE(routing.has_value()) << routing.error().text();
  const VerifyReport report = verify(fabric, routing->tables, routing->lanes);
  EXPECT_TRUE(report.ok()) << report.violations.front().text;
  // On one lane the engine has given up on its paths.
  ++lanes[routing->lanes ? routing->lanes->num_vls() : 1];
  EXPECT_LE(lanes.rbegin()->first, 4U);
}

using Port = std::pair<SwitchId, PortNum>;
std::vector<Port> links(const Fabric& fabric) {
  std::vector<Port> links;
  for (const SwitchId s : fabric.switches())
    for (const PortNum p : fabric.ports(s))
      if (const Peer& peer = fabric.peer(s, p); peer.is_switch() && s < peer.as_switch()) links.emplace_back(s, p);
  return links;
}

void expect_sound_without_each(const Fabric& fabric, const char* engine) {
  std::map<unsigned, unsigned> lanes;
  for (const auto& [s, port] : links(fabric)) expect_sound(without_link(fabric, s, port), engine, lanes);
  for (const SwitchId s : fabric.switches()) expect_sound(without_switch(fabric, s), engine, lanes);
  EXPECT_EQ(lanes.count(1), 0U);
}

TEST(DamagedDragonfly, IsSoundWithoutAnySingleLinkOrRouter) {
  expect_sound_without_each(generated("dragonfly", "2,4,2,9", 0), "dragonfly");
}
TEST(DamagedDragonfly, IsSoundWithoutAnySingleLinkOrRouterWithIntermediateGroups) {
  expect_sound_without_each(generated("dragonfly", "2,4,2,9", 2), "dragonfly-rlm");
}
TEST(DamagedDragonflyPlus, IsSoundWithoutAnySingleLinkOrSwitch) {
  const Fabric fabric = generated("megafly", "8;2,4,4;2", 0);
  expect_sound_without_each(fabric, "dragonfly");
}

std::uint64_t fullest_all_to_all(const Fabric& fabric, const Routing& routing) {
  std::vector<EndportId> hosts;
  for (const EndportId e : fabric.endports()) hosts.push_back(e);
  const HostRoutes routes(fabric, routing.tables, hosts);
  return channel_loads(routes, {TrafficPattern::Kind::kAllToAll, 1}, 0).max();
}

// Over all routers between its ends, and not only over those on whose turns one lane is enough: 1.43 times as much else.
TEST(DamagedDragonfly, SharesWhatALostLocalLinkCarried) {
  const Fabric whole = generated("dragonfly", "4,8,4,33", 0);
  const auto engine = make_engine("dragonfly");
  const std::uint64_t before = fullest_all_to_all(whole, *engine->route(*rank(whole)));
  const SwitchId s = id_at<SwitchId>(3);
  const Dragonfly dragonfly = detect_dragonfly(whole).value();
  for (const PortNum p : whole.ports(s)) {
    if (dragonfly.port_class(s, p) != PortClass::kLocal) continue;
    const Fabric fabric = without_link(whole, s, p);
    const auto routing = engine->route(*rank(fabric));
    ASSERT_TRUE(routing.has_value());
    EXPECT_LE(static_cast<double>(fullest_all_to_all(fabric, *routing)), 1.25 * static_cast<double>(before));
    EXPECT_EQ(routing->lanes->num_vls(), 2U);
  }
}

// Where the lanes do not suffice for these, some still do for the routers on whose turns one is enough.
TEST(DamagedDragonfly, TurnsAsOneLaneAllowsWhereLanesAreFew) {
  const Fabric whole = generated("dragonfly", "4,8,4,33", 0);
  std::size_t saved = 0;
  for (std::uint64_t seed = 1001; seed <= 1006; ++seed) {
    const Fabric fabric = degrade(whole, {.links = 10, .seed = seed}).value();
    const Dragonfly dragonfly = detect_dragonfly(fabric).value();
    const auto routes = choose_routes(dragonfly, PathSet::kMinimal, nullptr);
    const auto lanes_with = [&](LocalTurns turns) {
      const ForwardingTables tables = fill_tables(dragonfly, GroupPaths(dragonfly, turns), routes, nullptr);
      SlPlan plan = shortest_plan();
      add_spare_sls(plan, dragonfly.num_groups(), 2);
      return search_lanes(dragonfly, tables, plan, nullptr, 2).has_value();
    };
    const bool suffice = lanes_with(LocalTurns::kAny);
    saved += !suffice && lanes_with(LocalTurns::kAllowed) ? 1 : 0;
    EXPECT_EQ(route_dragonfly(dragonfly, {PathSet::kMinimal, 2}).has_value(),
              suffice || lanes_with(LocalTurns::kAllowed));
  }
  EXPECT_GT(saved, 0U);
}

// 1 to 20 % of the links and some routers; the campaign draws 300.
// Edison's 1 440 routers have 45 links each: to compare with what engine layers finds would take a minute.
TEST(DamagedDragonfly, IsNotSearchedForBetterPathsWhereThatTakesLong) {
  const Fabric fabric = degrade(generated("dragonfly", "4,96,10,15;6,16,1,3", 0), {.links = 10, .seed = 1001}).value();
  const Routing routing = make_engine("dragonfly")->route(rank(fabric).value()).value();
  const auto own = route_dragonfly(detect_dragonfly(fabric).value(), {PathSet::kMinimal, 4});
  EXPECT_EQ(routing.tables, own->tables);
  EXPECT_GT(own->num_irregular, 0U);
  EXPECT_EQ(routing.lanes->num_vls(), 4U);
}

TEST(DamagedDragonfly, IsSoundUnderRandomDamage) {
  const Fabric whole = generated("dragonfly", "3,6,3,19", 0);
  const std::vector<Port> all = links(whole);
  std::map<unsigned, unsigned> lanes;
  for (std::uint64_t seed = 1001; seed <= 1020; ++seed) {
    const std::size_t broken = all.size() * (seed - 1000) / 100;
    Fabric fabric = degrade(whole, {.links = broken, .seed = seed}).value();
    for (std::size_t i = 0; i < (seed - 1000) / 5; ++i)
      fabric = without_switch(fabric, id_at<SwitchId>((seed * 31 + i * 7) % fabric.num_switches()));
    SCOPED_TRACE(seed);
    expect_sound(fabric, "dragonfly", lanes);
    expect_sound(fabric, "dragonfly-rlm", lanes);
  }
  for (const auto& [vls, draws] : lanes)
    ::testing::Test::RecordProperty("vls_" + std::to_string(vls), static_cast<int>(draws));
}

}  // namespace
}  // namespace espalier
