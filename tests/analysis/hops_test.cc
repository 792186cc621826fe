// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/routes/hops.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/analysis/fill_tables.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"

namespace espalier::test {
namespace {

// The fat tree of figure 2.2: 32 hosts in 8 leaves of 4, two leaves to a pod; each host is 2 links from 3 others, 4
// from 4, 6 from 24.
TEST(Hops, AgreeWithTheMeanDistanceOfTheThesis) {
  const char* const spec = "3;4,2,4;1,2,2;1,2,1";
  const Fabric fabric = pgft(spec);
  ASSERT_EQ(fabric.num_endports(), 32U);
  const HopReport report = count_hops(fabric, route_dmodk(fabric, PgftSpec::parse(spec).value()), all_endports(fabric));
  EXPECT_EQ(report.num_pairs, 32U * 31U);
  EXPECT_THAT(report.pairs_of_length, testing::ElementsAre(0, 0, 32 * 3, 0, 32 * 4, 0, 32 * 24));
  EXPECT_EQ(report.diameter(), 6U);
  EXPECT_NEAR(report.mean(), 166.0 / 31, 1e-9);
  EXPECT_EQ(report.num_detours, 0U);
  EXPECT_EQ(report.unrouted, 0U);
}

TEST(Hops, CountDetoursAndPairsThatDoNotArrive) {
  const Fabric fabric = pgft("2;2,3;1,2;1,1");  // leaves 0-2, roots 3-4; hosts 0-5 on leaves 0, 0, 1, 1, 2, 2
  ForwardingTables tables = route_shortest(fabric);
  const Lid host = fabric.at(EndportId{5}).lid;
  const auto up = [](std::size_t root) { return id_at<PortNum>(3 + root); };
  const auto down = [](std::size_t leaf) { return id_at<PortNum>(leaf + 1); };
  // To host 5: leaf 0 by root 3, which sends it down to leaf 1, from there by root 4.
  tables.set(SwitchId{0}, host, up(0));
  tables.set(SwitchId{3}, host, down(1));
  tables.set(SwitchId{1}, host, up(1));
  tables.set(SwitchId{4}, host, down(2));
  HopReport report = count_hops(fabric, tables, all_endports(fabric));
  EXPECT_EQ(report.num_detours, 2U);
  EXPECT_EQ(report.diameter(), 6U);
  tables.set(SwitchId{4}, host, kNoPort);
  report = count_hops(fabric, tables, all_endports(fabric));
  EXPECT_EQ(report.unrouted, 4U);
  EXPECT_EQ(report.num_pairs, 30U - 4U);
}

TEST(Hops, ToOneLidAreCountedFromEverySwitchFromWhichItArrives) {
  const Fabric fabric = draw("A:1 B:1 C:1 ; A-B B-C");
  ForwardingTables tables = route_shortest(fabric);
  const Lid lid = fabric.at(switch_named(fabric, "C")).lid;
  std::vector<std::uint32_t> links;
  hops_to(fabric, TableRows(tables), lid, links);
  EXPECT_THAT(links, testing::ElementsAre(2, 1, 0));
  tables.set(switch_named(fabric, "B"), lid, tables.at(switch_named(fabric, "B"), fabric.at(SwitchId{0}).lid));
  hops_to(fabric, TableRows(tables), lid, links);  // A and B send it to each other
  EXPECT_THAT(links, testing::ElementsAre(kNoHops, kNoHops, 0));
}

TEST(Hops, AreNoneWithoutHosts) {
  const Fabric fabric = pgft("2;2,2;1,2;1,1");
  const HopReport report = count_hops(fabric, route_tree(fabric), {});
  EXPECT_EQ(report.diameter(), 0U);
  EXPECT_EQ(report.mean(), 0.0);
}

}  // namespace
}  // namespace espalier::test
