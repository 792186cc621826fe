// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/schedule/trees/pod_exchange.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/schedule/check_schedule.h"
#include "core/schedule/trees/exchange_bound.h"
#include "core/tree/rank.h"
#include "tests/support/fabrics.h"
#include "tests/support/without.h"

namespace espalier {
namespace {

using testing::HasSubstr;

// Four pods of two leaves with two hosts each, two planes, two tops in each plane.
Fabric four_pods(std::uint8_t lmc) { return test::pgft("3;2,2,4;1,2,2;1,1,1", lmc); }

Result<RoutedExchange> route(const Fabric& fabric) {
  const FatTree tree = *rank(fabric);
  return route_pod_exchange(fabric, *three_level_tree(tree, all_servers(tree)));
}

// The first fault of the schedule on its entries and the last hops alone.
ScheduleReport judge(const Fabric& fabric, const RoutedExchange& exchange) {
  ForwardingTables tables(fabric.num_switches(), fabric.top_lid());
  for (const EndportId e : fabric.endports())
    for (std::size_t k = 0; k < std::size_t{1} << fabric.at(e).lmc; ++k)
      tables.set(fabric.at(e).leaf, lid_at_offset(fabric.at(e).lid, k), fabric.at(e).leaf_port);
  for (const TableEntry& entry : exchange.entries) tables.set(entry.where, entry.lid, entry.port);
  return check_schedule(fabric, tables, exchange.schedule, all_to_all_traffic(exchange.schedule.servers.size()));
}

TEST(PodExchange, OfAWholeTreeNeedsAPhasePerServer) {
  for (const std::uint8_t lmc : {std::uint8_t{2}, std::uint8_t{3}}) {
    const Fabric fabric = four_pods(lmc);
    const auto exchange = route(fabric);
    ASSERT_TRUE(exchange);
    EXPECT_EQ(exchange->schedule.phases, 16U);
    EXPECT_EQ(exchange->schedule.lmc, lmc);
    EXPECT_TRUE(exchange->left_over.empty());
    const ScheduleReport report = judge(fabric, *exchange);
    EXPECT_TRUE(report.ok()) << testing::PrintToString(report.first);
    EXPECT_EQ(report.num_flows, 16U * 15U);
    EXPECT_EQ(report.longest_path, 4U);
  }
}

// offset = lane * 2^b + top: every middle switch sends one value of the low bits to one top.
TEST(PodExchange, LowBitsOfTheOffsetNameTheTop) {
  const Fabric fabric = four_pods(2);
  const FatTree tree = *rank(fabric);
  const auto exchange = route(fabric);
  ASSERT_TRUE(exchange);
  std::map<std::pair<SwitchId, std::size_t>, std::set<SwitchId>> tops;  // by middle switch and low bits
  for (const TableEntry& entry : exchange->entries) {
    const Peer& peer = fabric.peer(entry.where, entry.port);
    if (tree.level(entry.where) != Level{1} || !peer.is_switch() || tree.level(peer.as_switch()) != Level{2}) continue;
    const std::size_t offset = index(entry.lid) - index(fabric.at(EndportId{fabric.owner(entry.lid).id}).lid);
    tops[{entry.where, offset % 2}].insert(peer.as_switch());
  }
  EXPECT_EQ(tops.size(), 16U);  // 8 middle switches, 2 tops each
  for (const auto& [at, taken] : tops) EXPECT_EQ(taken.size(), 1U);
}

// Every link between a middle switch and a top, one at a time.
TEST(PodExchange, WithDamageEveryFlowIsInTheScheduleOrLeftOver) {
  const Fabric whole = four_pods(3);
  const FatTree whole_tree = *rank(whole);
  for (const SwitchId middle : whole.switches()) {
    if (whole_tree.level(middle) != Level{1}) continue;
    for (const PortGroup& up : whole_tree.up_groups(middle)) {
      const Fabric fabric = without_link(whole, middle, whole_tree.ports(up)[0]);
      const FatTree tree = *rank(fabric);
      const auto pods = three_level_tree(tree, all_servers(tree));
      ASSERT_TRUE(pods) << pods.error().text();
      const auto exchange = route_pod_exchange(fabric, *pods);
      ASSERT_TRUE(exchange) << exchange.error().text();
      const ScheduleReport report = judge(fabric, *exchange);
      for (const ScheduleFault fault :
           {ScheduleFault::kWrongDlid, ScheduleFault::kNotDelivered, ScheduleFault::kTwoReceived,
            ScheduleFault::kSharedLink, ScheduleFault::kRepeatedPair})
        EXPECT_EQ(report.count[static_cast<std::size_t>(fault)], 0U) << name(fault) << ", " << whole.label(middle);
      EXPECT_EQ(report.count[static_cast<std::size_t>(ScheduleFault::kMissingPair)], exchange->left_over.size());
    }
  }
}

TEST(PodExchange, SaysWhichLmcNamesTheTops) {
  const auto refused = route(four_pods(0));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text(), HasSubstr("2 top switches in a plane need LMC 1, but the hosts have LMC 0"));
}

// 2 048 hosts with 32 LIDs each would be 65 536.
TEST(PodExchange, SaysWhenASubnetHasNoRoomForSoManyLids) {
  const auto refused = route(test::pgft("3;8,8,32;1,8,32;1,1,1"));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text(), HasSubstr("need LMC 5, which gives this fabric"));
  EXPECT_THAT(refused.error().text(), HasSubstr("LIDs, but a subnet has 49151; an AllGather needs no LMC"));
}

// Fewer phases than the links of a leaf or of a pod allow: 4 hosts over 1 link, 8 hosts over 1 or over 4.
TEST(ExchangeBound, IsTheNarrowestOfServersLeavesAndPods) {
  const auto bound = [](const char* spec) {
    const Fabric fabric = test::pgft(spec);
    const FatTree tree = *rank(fabric);
    return exchange_bound(tree, all_servers(tree));
  };
  EXPECT_EQ(bound("3;2,2,4;1,2,2;1,1,1"), 15U);          // nothing narrow: each to 15 others
  EXPECT_EQ(bound("2;4,3;1,1;1,1"), 4U * 8);             // leaves
  EXPECT_EQ(bound("3;4,2,3;1,1,1;1,1,1"), 8U * 16);      // pods: 8 hosts, one link
  EXPECT_EQ(bound("3;4,2,3;1,4,1;1,1,1"), 8U * 16 / 4);  // four
  EXPECT_EQ(bound("4;2,2,2,2;1,2,2,2;1,1,1,1"), 15U);    // no shape that we know
}

}  // namespace
}  // namespace espalier
