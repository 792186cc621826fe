// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/schedule/exchanges/fit_flows.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "core/engines/modulo/dmodc.h"
#include "core/engines/routing_problem.h"
#include "core/schedule/check_schedule.h"
#include "core/schedule/exchanges/routed_exchange.h"
#include "core/tree/rank.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

// Every ordered pair, by shifts.
std::vector<PendingFlow> all_pairs(const Fabric& fabric, const Schedule& schedule) {
  std::vector<PendingFlow> flows;
  const auto n = static_cast<std::uint32_t>(schedule.servers.size());
  for (std::uint32_t shift = 1; shift < n; ++shift)
    for (std::uint32_t s = 0; s < n; ++s)
      flows.push_back({s, (s + shift) % n, fabric.at(fabric.find_endport(schedule.servers[(s + shift) % n])).lid});
  return flows;
}

TEST(FitFlows, MakesAnExchangeOfAnyTables) {
  for (const Fabric& fabric : {test::three_level_tree(), test::ring_of_five(), test::pair_without_up_down_path()}) {
    const ForwardingTables tables = Dmodc().route(rank(fabric).value()).value().tables;
    Schedule schedule;
    for (const EndportId e : fabric.endports()) schedule.servers.push_back(fabric.at(e).port_guid);
    std::sort(schedule.servers.begin(), schedule.servers.end());
    ASSERT_TRUE(fit_flows(fabric, tables, all_pairs(fabric, schedule), schedule));
    EXPECT_TRUE(check_schedule(fabric, tables, schedule, all_to_all_traffic(schedule.servers.size())).ok());
    EXPECT_GE(schedule.phases, schedule.servers.size() - 1);
  }
}

// Shift after shift in the order of the routes: on whole trees every shift is a phase (Zahavi 2010).
TEST(FitShifts, MeetsTheBoundOnWholeTrees) {
  for (const char* spec : {"2;4,4;1,4;1,1", "3;3,3,4;1,3,3;1,1,1", "3;2,4,3;1,2,4;1,1,1"}) {
    const Fabric fabric = test::pgft(spec);
    const FatTree tree = *rank(fabric);
    const ForwardingTables tables = Dmodc().route(tree).value().tables;
    const std::vector<EndportId> hosts = RoutingProblem(tree).order.hosts;
    Schedule schedule;
    const std::vector<std::uint32_t> order = number_by_guid(fabric, hosts, schedule);
    ASSERT_TRUE(fit_shifts(fabric, tables, order, std::vector<std::uint32_t>(hosts.size(), 0), schedule)) << spec;
    EXPECT_EQ(schedule.phases, hosts.size() - 1) << spec;
    EXPECT_TRUE(check_schedule(fabric, tables, schedule, all_to_all_traffic(hosts.size())).ok()) << spec;
  }
}

TEST(FitShifts, MakesAnExchangeInAnyOrderAndNoFlowBetweenComponents) {
  for (const Fabric& fabric : {test::three_level_tree(), test::ring_of_five(), test::pair_without_up_down_path()}) {
    const ForwardingTables tables = Dmodc().route(rank(fabric).value()).value().tables;
    Schedule schedule;
    std::vector<EndportId> hosts;
    for (const EndportId e : fabric.endports()) hosts.push_back(e);
    std::vector<std::uint32_t> order = number_by_guid(fabric, hosts, schedule);
    std::shuffle(order.begin(), order.end(), std::mt19937(1001));
    std::vector<std::uint32_t> component(order.size(), 0);
    Schedule whole = schedule;
    ASSERT_TRUE(fit_shifts(fabric, tables, order, component, whole));
    EXPECT_TRUE(check_schedule(fabric, tables, whole, all_to_all_traffic(order.size())).ok());
    // The first server alone in a component of its own.
    component[0] = 1;
    ASSERT_TRUE(fit_shifts(fabric, tables, order, component, schedule));
    TrafficMatrix traffic = all_to_all_traffic(order.size());
    for (std::size_t s = 0; s < order.size(); ++s) traffic[s] = traffic[s * order.size()] = 0;
    EXPECT_TRUE(check_schedule(fabric, tables, schedule, traffic).ok());
  }
}

TEST(FitFlows, FillsTheGapsOfWhatIsThere) {
  const Fabric fabric = test::single_switch();
  const ForwardingTables tables = Dmodc().route(rank(fabric).value()).value().tables;
  Schedule schedule;
  for (const EndportId e : fabric.endports()) schedule.servers.push_back(fabric.at(e).port_guid);
  const auto lid = [&](std::uint32_t e) { return fabric.at(id_at<EndportId>(e)).lid; };
  schedule.phases = 1;
  schedule.sends = {{1, lid(1)}, {}, {}};
  ASSERT_TRUE(fit_flows(fabric, tables, {{1, 2, lid(2)}, {2, 1, lid(1)}, {2, 0, lid(0)}}, schedule));
  EXPECT_EQ(schedule.phases, 2U);
  EXPECT_EQ(schedule.at(0, 0), (Send{1, lid(1)}));
  EXPECT_EQ(schedule.at(1, 0), (Send{2, lid(2)}));
  EXPECT_EQ(schedule.at(2, 0), (Send{0, lid(0)}));  // phase 0 has no room for 2 -> 1
  EXPECT_EQ(schedule.at(2, 1), (Send{1, lid(1)}));
}

TEST(FitFlows, TakesAsManyPhasesAsOneServerHasFlows) {
  const Fabric fabric = test::single_switch();
  const ForwardingTables tables = Dmodc().route(rank(fabric).value()).value().tables;
  Schedule schedule;
  for (const EndportId e : fabric.endports()) schedule.servers.push_back(fabric.at(e).port_guid);
  const std::vector<PendingFlow> flows(200, {0, 1, fabric.at(EndportId{1}).lid});
  ASSERT_TRUE(fit_flows(fabric, tables, flows, schedule));
  EXPECT_EQ(schedule.phases, 200U);
}

TEST(FitFlows, RefusesAFlowThatTheTablesLose) {
  const Fabric fabric = test::single_switch();
  const ForwardingTables tables(fabric.num_switches(), fabric.top_lid());
  Schedule schedule;
  for (const EndportId e : fabric.endports()) schedule.servers.push_back(fabric.at(e).port_guid);
  const Status ok = fit_flows(fabric, tables, {{0, 1, fabric.at(EndportId{1}).lid}}, schedule);
  ASSERT_FALSE(ok);
  EXPECT_THAT(ok.error().text(), ::testing::HasSubstr("do not deliver"));
}

}  // namespace
}  // namespace espalier
