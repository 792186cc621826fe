// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/congestion/lane_loads.h"

#include <gtest/gtest.h>

#include "core/analysis/congestion/congestion.h"
#include "tests/analysis/fill_tables.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

std::vector<EndportId> all_hosts(const Fabric& fabric) {
  std::vector<EndportId> hosts;
  for (const EndportId e : fabric.endports()) hosts.push_back(e);
  return hosts;
}

TEST(LaneLoads, of_one_lane_are_those_of_the_links) {
  const Fabric fabric = test::ring_of_five();
  const ForwardingTables tables = test::route_shortest(fabric);
  const LaneLoads loads = lane_loads(fabric, tables, one_lane(fabric), all_to_all_flows(fabric, all_hosts(fabric), {}));
  ASSERT_EQ(loads.of_vl.size(), 1U);
  const HostRoutes routes(fabric, tables, all_hosts(fabric));
  EXPECT_EQ(loads.of_vl[0].most, static_cast<double>(all_to_all_risk(routes).xi_switches));
  EXPECT_EQ(loads.undelivered, 0);
}

TEST(LaneLoads, go_to_the_lane_of_their_service_level_and_end_where_packets_are_discarded) {
  const Fabric fabric = test::ring_of_five();
  const ForwardingTables tables = test::route_shortest(fabric);
  ServiceLevels levels(fabric.top_lid(), 1, 2);
  const Lid special = fabric.at(EndportId{0}).lid;
  levels.set_destination_class(special, 1);
  levels.set(0, 1, 3);
  VlsBySl vls{};
  vls[3] = 1;
  const std::vector<LaneFlow> flows = all_to_all_flows(fabric, all_hosts(fabric), {});
  const LaneLoads two = lane_loads(fabric, tables, Lanes(levels, LaneMaps(fabric, vls)), flows);
  ASSERT_EQ(two.of_vl.size(), 2U);
  EXPECT_EQ(two.of_vl[1].sum, 6);  // 1, 1, 2 and 2 hops on a ring of five
  EXPECT_EQ(two.of_vl[0].sum, 24);
  vls[3] = kDiscardVl;
  EXPECT_EQ(lane_loads(fabric, tables, Lanes(levels, LaneMaps(fabric, vls)), flows).undelivered, 4);
}

}  // namespace
}  // namespace espalier
