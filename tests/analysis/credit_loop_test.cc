// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/soundness/dependencies/credit_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/analysis/routes/walk.h"
#include "core/analysis/soundness/verify.h"
#include "core/fabric/fabric_builder.h"
#include "tests/analysis/fill_tables.h"

namespace espalier::test {
namespace {

// Switches in a ring, port 1 to the next, port 2 to the one before; no hosts: LID i+1 is switch i.
Fabric ring(std::size_t n) {
  FabricBuilder builder;
  std::vector<FabricBuilder::SwitchHandle> switches;
  for (std::size_t i = 0; i < n; ++i) {
    Switch s;
    s.guid = Guid{0x10 + i};
    s.description = "ring " + std::to_string(i);
    s.num_ports = 4;
    switches.push_back(builder.add_switch(std::move(s)));
  }
  for (std::size_t i = 0; i < n; ++i) builder.connect(switches[i], PortNum{1}, switches[(i + 1) % n], PortNum{2});
  static_cast<void>(builder.assign_lids(0, FabricBuilder::Numbering::kRenumber));
  return std::move(builder).build().value();
}

TEST(CreditLoop, ShortestPathsOnARingOfFiveCloseOneThoughEveryPacketArrives) {
  const Fabric fabric = ring(5);
  const ForwardingTables tables = route_shortest(fabric);
  for (const SwitchId s : fabric.switches())
    for (std::size_t lid = 1; lid <= 5; ++lid)
      EXPECT_EQ(walk(fabric, tables, s, id_at<Lid>(lid)).outcome, Step::Kind::kDelivered);
  const VerifyReport report = verify(fabric, tables);
  ASSERT_EQ(report.violations.size(), 1U);
  EXPECT_EQ(report.violations[0].kind, Violation::Kind::kCreditLoop);
  EXPECT_EQ(report.credit_loop.size(), 5U);
  EXPECT_EQ(report.num_violations, 1U);
}

TEST(CreditLoop, ShortestPathsOnARingOfThreeHaveNone) {
  const Fabric fabric = ring(3);
  EXPECT_TRUE(verify(fabric, route_shortest(fabric)).ok());
}

TEST(CreditLoop, IsToldLinkByLinkWithGuidsPortsAndAnExample) {
  const Fabric fabric = ring(5);
  const ForwardingTables tables = route_shortest(fabric);
  const std::vector<ChannelId> loop = find_credit_loop(ChannelDependencies(fabric, tables));
  const std::string text = describe_credit_loop(fabric, tables, loop);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 5);
  EXPECT_THAT(text, testing::StartsWith("0x0000000000000010 (ring 0) port 1 -> 0x0000000000000011 (ring 1) port 2, "
                                        "which sends LID 3 on by port 1\n"));
}

TEST(CreditLoop, IsTheShortestAndStartsWithItsLowestChannel) {
  // A ring of six on which every LID goes clockwise (a cycle of six), and LID 5 bounces between switches 2 and 3.
  const Fabric fabric = ring(6);
  ForwardingTables tables(6, Lid{6});
  for (const SwitchId s : fabric.switches())
    for (std::size_t lid = 1; lid <= 6; ++lid)
      tables.set(s, id_at<Lid>(lid), lid == index(s) + 1 ? kManagementPort : PortNum{1});
  EXPECT_EQ(find_credit_loop(ChannelDependencies(fabric, tables)).size(), 6U);
  tables.set(SwitchId{3}, Lid{5}, PortNum{2});
  const std::vector<ChannelId> loop = find_credit_loop(ChannelDependencies(fabric, tables));
  EXPECT_EQ(loop, (std::vector{fabric.channel(SwitchId{2}, PortNum{1}), fabric.channel(SwitchId{3}, PortNum{2})}));
}

TEST(CreditLoop, OfALinkFromASwitchToItselfIsOneChannelLong) {
  FabricBuilder builder;
  Switch s;
  s.guid = Guid{1};
  s.num_ports = 2;
  s.lid = Lid{1};
  const auto handle = builder.add_switch(std::move(s));
  builder.connect(handle, PortNum{1}, handle, PortNum{2});
  const Fabric fabric = std::move(builder).build().value();
  ForwardingTables tables(1, Lid{1});
  tables.set(SwitchId{0}, Lid{1}, PortNum{2});
  const VerifyReport report = verify(fabric, tables);
  EXPECT_EQ(report.credit_loop, std::vector{fabric.channel(SwitchId{0}, PortNum{2})});
  ASSERT_EQ(report.violations.size(), 2U);
  EXPECT_EQ(report.violations[0].kind, Violation::Kind::kLoop);
}

TEST(Walk, ListsTheChannelsItCrossed) {
  const Fabric fabric = ring(5);
  const Walk path = walk(fabric, route_shortest(fabric), SwitchId{0}, Lid{3});
  EXPECT_EQ(path.outcome, Step::Kind::kDelivered);
  EXPECT_EQ(path.last, SwitchId{2});
  EXPECT_EQ(path.channels,
            (std::vector{fabric.channel(SwitchId{0}, PortNum{1}), fabric.channel(SwitchId{1}, PortNum{1})}));
}

TEST(Walk, SaysWhereTheCircleBegins) {
  const Fabric fabric = ring(5);
  ForwardingTables tables = route_shortest(fabric);
  for (const SwitchId s : {SwitchId{1}, SwitchId{2}}) tables.set(s, Lid{5}, s == SwitchId{1} ? PortNum{1} : PortNum{2});
  tables.set(SwitchId{0}, Lid{5}, PortNum{1});
  const Walk path = walk(fabric, tables, SwitchId{0}, Lid{5});
  EXPECT_EQ(path.outcome, Step::Kind::kForward);
  EXPECT_EQ(path.loop, 1U);
  EXPECT_EQ(path.channels.size(), 3U);
}

}  // namespace
}  // namespace espalier::test
