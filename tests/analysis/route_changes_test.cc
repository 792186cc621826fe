// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/congestion/route_changes.h"

#include <gtest/gtest.h>

#include "tests/analysis/fill_tables.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"
#include "tests/support/without.h"

namespace espalier::test {
namespace {

TEST(RouteChanges, OfEqualStatesAreNone) {
  const Fabric fabric = three_level_tree();
  const ForwardingTables tables = route_shortest(fabric);
  const std::vector<EndportId> hosts = all_endports(fabric);
  const RouteChanges changes = compare_routes({fabric, tables, hosts}, {fabric, tables, hosts});
  EXPECT_EQ(changes.num_entries, 12U * 20U);
  EXPECT_EQ(changes.entries_changed, 0U);
  EXPECT_EQ(changes.num_flows, 8U * 7U);
  EXPECT_EQ(changes.flows_forced + changes.flows_unforced + changes.flows_lost + changes.flows_won, 0U);
  EXPECT_TRUE(changes.loads.empty());
  EXPECT_EQ(changes.max_before, changes.max_after);
}

TEST(RouteChanges, AfterALostSpineAreForcedAndTheOtherSpineIsHotter) {
  const Fabric fabric = two_level_tree();
  const SwitchId spine = switch_named(fabric, "S0");
  const Fabric less = without_switch(fabric, spine);
  const ForwardingTables before = route_shortest(fabric);
  const ForwardingTables after = route_shortest(less);
  const RouteChanges changes =
      compare_routes({fabric, before, all_endports(fabric)}, {less, after, all_endports(less)});
  EXPECT_EQ(changes.switches_gone, std::vector{spine});
  EXPECT_TRUE(changes.links_gone.empty());  // those of the spine go without saying
  EXPECT_EQ(changes.num_flows, 30U);
  EXPECT_EQ(changes.flows_forced, 12U);  // half of the 24 flows between leaves
  EXPECT_EQ(changes.flows_unforced, 0U);
  EXPECT_EQ(changes.max_before, 4U);
  EXPECT_EQ(changes.max_after, 8U);
  ASSERT_FALSE(changes.loads.empty());
  EXPECT_EQ(changes.loads.front().flows_after - changes.loads.front().flows_before, 4U);
  EXPECT_EQ(changes.loads.back().after, kNoChannel);
}

TEST(RouteChanges, NameTheLinkThatIsGoneOnce) {
  const Fabric fabric = two_level_tree();
  const SwitchId leaf = switch_named(fabric, "L0");
  const Fabric less = without_link(fabric, leaf, PortNum{3});
  const RouteChanges changes = compare_routes({fabric, route_shortest(fabric), all_endports(fabric)},
                                              {less, route_shortest(less), all_endports(less)});
  ASSERT_EQ(changes.links_gone.size(), 1U);
  EXPECT_TRUE(changes.links_new.empty());
  EXPECT_TRUE(changes.switches_gone.empty());
}

TEST(RouteChanges, CountFlowsOfHostsThatAreGoneOnlyWhereTheyArrived) {
  const Fabric fabric = two_level_tree();
  const std::vector<EndportId> all = all_endports(fabric);
  const Fabric less = without_link(fabric, fabric.at(all[5]).leaf, fabric.at(all[5]).leaf_port);  // it is still there
  ForwardingTables tables = route_shortest(fabric);
  const auto change = [&] { return compare_routes({fabric, tables, all}, {less, route_shortest(less), all}); };
  EXPECT_EQ(change().hosts_gone, std::vector{all[5]});
  EXPECT_EQ(change().flows_gone, 10U);
  EXPECT_EQ(change().flows_lost, 0U);
  tables.set(fabric.at(all[0]).leaf, fabric.at(all[5]).lid, kNoPort);  // two hosts send there
  EXPECT_EQ(change().flows_gone, 8U);
}

TEST(RouteChanges, WithoutAFaultAreUnforced) {
  const Fabric fabric = two_level_tree();
  const RouteChanges changes = compare_routes({fabric, route_shortest(fabric, 0), all_endports(fabric)},
                                              {fabric, route_shortest(fabric, 1), all_endports(fabric)});
  EXPECT_EQ(changes.flows_unforced, 24U);
  EXPECT_EQ(changes.flows_forced, 0U);
  EXPECT_EQ(changes.entries_changed, 12U);  // three leaves, four LIDs that are elsewhere
}

TEST(RouteChanges, CountFlowsThatGotLostAndHostsThatWentAway) {
  const Fabric fabric = two_level_tree();
  ForwardingTables holes = route_shortest(fabric);
  holes.set(switch_named(fabric, "L0"), fabric.at(endport_named(fabric, "h5")).lid, kNoPort);
  const std::vector<EndportId> all = all_endports(fabric);
  const RouteChanges changes = compare_routes({fabric, route_shortest(fabric), all}, {fabric, holes, all});
  EXPECT_EQ(changes.flows_lost, 2U);
  const RouteChanges back = compare_routes({fabric, holes, all}, {fabric, route_shortest(fabric), all});
  EXPECT_EQ(back.flows_won, 2U);

  const Fabric less = without_endport(fabric, endport_named(fabric, "h5"));
  const RouteChanges gone =
      compare_routes({fabric, route_shortest(fabric), all}, {less, route_shortest(less), all_endports(less)});
  EXPECT_EQ(gone.hosts_gone.size(), 1U);
  EXPECT_EQ(gone.num_flows, 20U);
}

}  // namespace
}  // namespace espalier::test
