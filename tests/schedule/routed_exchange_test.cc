// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/schedule/exchanges/routed_exchange.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "core/schedule/check_schedule.h"
#include "core/tree/rank.h"
#include "tests/support/fabrics.h"
#include "tests/support/without.h"

namespace espalier {
namespace {

using testing::HasSubstr;

// Three leaves with four hosts each below four spines.
Fabric three_leaves(std::uint8_t lmc, std::string_view text = "2;4,3;1,4;1,1") { return test::pgft(text, lmc); }

Result<RoutedExchange> route(const Fabric& fabric, WantedMode mode) {
  const FatTree tree = *rank(fabric);
  return route_exchange(fabric, *two_level_tree(tree, all_servers(tree)), mode, kNoSwitch);
}

// Tables with nothing but the last hop to each host, and these entries.
ForwardingTables tables_of(const Fabric& fabric, const std::vector<TableEntry>& entries) {
  ForwardingTables tables(fabric.num_switches(), fabric.top_lid());
  for (const EndportId e : fabric.endports())
    for (std::size_t k = 0; k < std::size_t{1} << fabric.at(e).lmc; ++k)
      tables.set(fabric.at(e).leaf, lid_at_offset(fabric.at(e).lid, k), fabric.at(e).leaf_port);
  for (const TableEntry& entry : entries) tables.set(entry.where, entry.lid, entry.port);
  return tables;
}

// The first fault of the schedule on its entries alone; empty: every pair meets once, and no link carries two flows.
std::string fault(const Fabric& fabric, const RoutedExchange& exchange) {
  const ScheduleReport report = check_schedule(fabric, tables_of(fabric, exchange.entries), exchange.schedule,
                                               all_to_all_traffic(exchange.schedule.servers.size()));
  for (const std::string& first : report.first)
    if (!first.empty()) return first;
  return {};
}

TEST(RoutedExchange, BringsEveryFlowOverItsOwnEntries) {
  for (const std::uint8_t lmc : {std::uint8_t{0}, std::uint8_t{1}, std::uint8_t{2}, std::uint8_t{3}}) {
    const Fabric fabric = three_leaves(lmc);
    const auto exchange = route(fabric, WantedMode::kAuto);
    ASSERT_TRUE(exchange);
    EXPECT_EQ(fault(fabric, *exchange), "") << unsigned{lmc};
    EXPECT_EQ(exchange->schedule.phases, 12U);
    EXPECT_EQ(exchange->schedule.bound, 12U);
    EXPECT_EQ(exchange->schedule.lmc, lmc);
    EXPECT_EQ(exchange->schedule.mode, lmc >= 2 ? ScheduleMode::kSpine : ScheduleMode::kBlock);
    EXPECT_TRUE(exchange->left_over.empty());
    EXPECT_TRUE(exchange->detour_entries.empty());
  }
}

TEST(RoutedExchange, TakesParallelLinksForWaysOfTheirOwn) {
  for (const std::uint8_t lmc : {std::uint8_t{2}, std::uint8_t{3}}) {
    const Fabric fabric = three_leaves(lmc, "2;4,3;1,2;1,2");
    const auto exchange = route(fabric, WantedMode::kAuto);
    ASSERT_TRUE(exchange);
    EXPECT_EQ(fault(fabric, *exchange), "") << unsigned{lmc};
  }
}

TEST(RoutedExchange, OffsetNamesTheWayInModeSpine) {
  const Fabric fabric = three_leaves(2);
  const auto exchange = route(fabric, WantedMode::kSpine);
  ASSERT_TRUE(exchange);
  const FatTree tree = *rank(fabric);
  std::map<std::size_t, SwitchId> spine_of;  // by offset
  for (const TableEntry& entry : exchange->entries) {
    if (tree.level(entry.where) != Level{0}) continue;
    const Peer& peer = fabric.peer(entry.where, entry.port);
    const EndportId owner{fabric.owner(entry.lid).id};
    const std::size_t offset = index(entry.lid) - index(fabric.at(owner).lid);
    const auto [at, is_new] = spine_of.emplace(offset, peer.as_switch());
    EXPECT_EQ(at->second, peer.as_switch()) << "offset " << offset;
  }
  EXPECT_EQ(spine_of.size(), 4U);
}

// A reader of the tables sees the uplink in the offset: it is that of the port up from the leaf.
TEST(RoutedExchange, OffsetIsThatOfThePortWhereAllLeavesAreCabledAlike) {
  const Fabric fabric = three_leaves(2);
  const auto exchange = route(fabric, WantedMode::kSpine);
  ASSERT_TRUE(exchange);
  const FatTree tree = *rank(fabric);
  std::size_t upward = 0;
  for (const TableEntry& entry : exchange->entries) {
    const Peer& next = fabric.peer(entry.where, entry.port);
    if (tree.level(entry.where) != Level{0} || !next.is_switch()) continue;
    ++upward;
    const Lid base = fabric.at(EndportId{fabric.owner(entry.lid).id}).lid;
    ASSERT_EQ(index(entry.lid) - index(base), index(entry.port) % 4);
  }
  EXPECT_EQ(upward, 12U * 2U * 4U);  // of each LID on the two leaves it does not belong to
}

TEST(RoutedExchange, AFailedLinkChangesOnlyTheEntriesThatUsedItInModeSpine) {
  const Fabric whole = three_leaves(2);
  const FatTree tree = *rank(whole);
  const SwitchId leaf = tree.ascending().front();
  const PortNum cut = tree.ports(tree.up_groups(leaf)[1])[0];
  const Fabric damaged = without_link(whole, leaf, cut);
  const auto before = route(whole, WantedMode::kSpine), after = route(damaged, WantedMode::kSpine);
  ASSERT_TRUE(before && after);
  EXPECT_EQ(fault(damaged, *after), "");
  std::map<std::pair<SwitchId, Lid>, PortNum> was;
  for (const TableEntry& entry : before->entries) was[{entry.where, entry.lid}] = entry.port;
  const Peer& far = whole.peer(leaf, cut);
  for (const TableEntry& entry : after->entries) {
    EXPECT_FALSE(entry.where == leaf && entry.port == cut);
    EXPECT_FALSE(entry.where == far.as_switch() && entry.port == far.port);
    const auto old = was.find({entry.where, entry.lid});
    EXPECT_TRUE(old == was.end() || entry.port == old->second) << whole.label(entry.where) << " " << index(entry.lid);
  }
}

TEST(RoutedExchange, SaysWhichLmcModeSpineNeeds) {
  const Fabric fabric = three_leaves(1);
  const auto refused = route(fabric, WantedMode::kSpine);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text(), HasSubstr("needs LMC 2 for the 4 paths"));
  EXPECT_THAT(refused.error().text(), HasSubstr("the hosts have LMC 1"));
}

TEST(RoutedExchange, FollowsGivenTraffic) {
  const Fabric fabric = three_leaves(2);
  const FatTree tree = *rank(fabric);
  const HostTree hosts = *two_level_tree(tree, all_servers(tree));
  const auto guid = [&](std::size_t server) { return fabric.at(hosts.servers[server]).port_guid; };
  const std::vector<Demand> traffic{{guid(0), guid(5), 2}, {guid(1), guid(5), 1}, {guid(5), guid(0), 3}};
  const auto exchange = route_exchange(fabric, hosts, WantedMode::kAuto, kNoSwitch, &traffic);
  ASSERT_TRUE(exchange);
  const Schedule& schedule = exchange->schedule;
  const std::size_t n = schedule.servers.size();
  TrafficMatrix wanted(n * n);
  const auto place = [&](Guid g) {
    return static_cast<std::size_t>(std::find(schedule.servers.begin(), schedule.servers.end(), g) -
                                    schedule.servers.begin());
  };
  for (const Demand& d : traffic) wanted[place(d.from) * n + place(d.to)] = d.count;
  EXPECT_TRUE(check_schedule(fabric, tables_of(fabric, exchange->entries), schedule, wanted).ok());
  EXPECT_EQ(schedule.phases, 3U);  // server 5 receives three messages, and sends three
}

TEST(NumberByGuid, OrdersServersAndSaysWhereTheyWent) {
  const Fabric fabric = three_leaves(0);
  const FatTree tree = *rank(fabric);
  std::vector<EndportId> servers = all_servers(tree);
  std::reverse(servers.begin(), servers.end());
  Schedule schedule;
  const std::vector<std::uint32_t> place = number_by_guid(fabric, servers, schedule);
  ASSERT_EQ(schedule.servers.size(), servers.size());
  EXPECT_TRUE(std::is_sorted(schedule.servers.begin(), schedule.servers.end()));
  for (std::size_t i = 0; i < servers.size(); ++i)
    EXPECT_EQ(schedule.servers[place[i]], fabric.at(servers[i]).port_guid);
}

TEST(CommonLmc, IsTheLeastOfAllServers) {
  const Fabric fabric = three_leaves(2);
  EXPECT_EQ(common_lmc(fabric, all_servers(*rank(fabric))), 2);
}

}  // namespace
}  // namespace espalier
