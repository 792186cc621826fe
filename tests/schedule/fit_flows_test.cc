// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/schedule/exchanges/fit_flows.h"

#include <gmock/gmock.h>

#include "core/engines/modulo/dmodc.h"
#include "core/schedule/check_schedule.h"
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
