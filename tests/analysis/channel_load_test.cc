// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/congestion/channel_load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "core/analysis/congestion/congestion.h"
#include "tests/analysis/fill_tables.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"

namespace espalier::test {
namespace {

using ::testing::ElementsAre;
using Kind = TrafficPattern::Kind;

std::vector<EndportId> cabled_endports(const Fabric& fabric) {
  std::vector<EndportId> hosts;
  for (const EndportId e : fabric.endports())
    if (fabric.at(e).leaf != kNoSwitch) hosts.push_back(e);
  return hosts;
}

TEST(ChannelLoad, HasTheCongestionMetricsAsItsMaximaOnEveryDrawnFabric) {
  for (const NamedFabric& named : all_drawn_fabrics()) {
    const HostRoutes routes(named.fabric, route_shortest(named.fabric, 1), cabled_endports(named.fabric));
    const ChannelLoads all = channel_loads(routes, {Kind::kAllToAll, 1}, 0);
    EXPECT_EQ(all.max(), all_to_all_risk(routes).xi_switches) << named.name;
    EXPECT_EQ(all.unrouted, all_to_all_risk(routes).unrouted) << named.name;
    const ChannelLoads shifts = channel_loads(routes, {Kind::kShifts, 1}, 0);
    EXPECT_EQ(shifts.max(), shift_risk(routes).max()) << named.name;
    EXPECT_EQ(shifts.unrouted, shift_risk(routes).unrouted) << named.name;
    EXPECT_EQ(channel_loads(routes, {Kind::kRandomPermutations, 50}, 3).max(), random_risk(routes, 50, 3).max())
        << named.name;
  }
}

TEST(ChannelLoad, OnATreeWithDmodkIsOneUnderEveryShiftAndEvenUnderAllToAll) {
  const PgftSpec spec = PgftSpec::parse("2;4,4;1,4;1,1").value();
  const Fabric fabric = pgft("2;4,4;1,4;1,1");
  const HostRoutes routes(fabric, route_dmodk(fabric, spec), all_endports(fabric));
  EXPECT_EQ(channel_loads(routes, {Kind::kShifts, 1}, 0).max(), 1U);
  const ChannelLoads all = channel_loads(routes, {Kind::kAllToAll, 1}, 0);
  EXPECT_EQ(all.max(), 12U);
  EXPECT_EQ(all.fullest(1000).size(), 32U);  // 16 links, both directions, each with 12 flows
}

TEST(ChannelLoad, OfAPermutationPatternNamesThePermutationThatIsWorst) {
  const Fabric fabric = draw("L0:4 L1:4 ; L0-S0 L1-S0 L0-S1 L1-S1");
  const HostRoutes routes(fabric, route_shortest(fabric), all_endports(fabric));
  for (const TrafficPattern& pattern : {TrafficPattern{Kind::kShifts, 1}, {Kind::kRandomPermutations, 20}}) {
    const ChannelLoads loads = channel_loads(routes, pattern, 5);
    for (const ChannelId c : loads.fullest(100)) {
      const auto destination = permutation(routes.num_hosts(), pattern, 5, loads.worst[index(c)]);
      EXPECT_EQ(permutation_uses(routes, c, destination).size(), loads.flows[index(c)]);
    }
  }
}

TEST(ChannelLoad, UsesOfAChannelAddUpToItsFlows) {
  const Fabric fabric = three_level_tree();
  const HostRoutes routes(fabric, route_shortest(fabric), all_endports(fabric));
  const ChannelLoads loads = channel_loads(routes, {Kind::kAllToAll, 1}, 0);
  const std::vector<ChannelId> channels = loads.fullest(1000);
  const auto uses = all_to_all_uses(routes, channels);
  for (std::size_t i = 0; i < channels.size(); ++i) {
    std::uint64_t flows = 0;
    for (const ChannelUse& use : uses[i]) flows += use.num_sources;
    EXPECT_EQ(flows, loads.flows[index(channels[i])]);
  }
}

TEST(ChannelLoad, ListsTheFullestChannelsFirstAndNoEmptyOnes) {
  ChannelLoads loads{{0, 3, 7, 3, 0}, {0, 0, 0, 0, 0}, 0};
  EXPECT_THAT(loads.fullest(2), ElementsAre(ChannelId{2}, ChannelId{1}));
  EXPECT_THAT(loads.fullest(9), ElementsAre(ChannelId{2}, ChannelId{1}, ChannelId{3}));
}

TEST(ChannelLoad, CountsFlowsThatDoNotArriveAndLeavesTheirLoadOut) {
  const Fabric fabric = draw("L0:1 L1:1 ; L0-S0 L1-S0");
  ForwardingTables tables = route_shortest(fabric);
  tables.set(switch_named(fabric, "S0"), fabric.at(endport_named(fabric, "h1")).lid, kNoPort);
  const HostRoutes routes(fabric, tables, all_endports(fabric));
  for (const TrafficPattern& pattern : {TrafficPattern{Kind::kAllToAll, 1}, {Kind::kShifts, 1}}) {
    const ChannelLoads loads = channel_loads(routes, pattern, 0);
    EXPECT_EQ(loads.unrouted, 1U);
    EXPECT_EQ(std::accumulate(loads.flows.begin(), loads.flows.end(), 0U), 2U);
  }
}

}  // namespace
}  // namespace espalier::test
