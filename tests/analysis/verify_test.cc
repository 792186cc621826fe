// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/soundness/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/analysis/fill_tables.h"
#include "tests/support/fabrics.h"
#include "tests/support/without.h"

namespace espalier::test {
namespace {

using Kind = Violation::Kind;
using testing::HasSubstr;

// Two leaves under two roots, two hosts each: switches 0, 1 are the leaves, 2, 3 the roots; LIDs 1-4, hosts 5-8.
struct Verify : testing::Test {
  const Fabric fabric = pgft("2;2,2;1,2;1,1");
  ForwardingTables tables = route_shortest(fabric);
  const SwitchId leaf{0};
  const SwitchId other_leaf{1};
  const SwitchId root{2};
  const Lid far_host{8};  // on other_leaf
};

const Violation* find(const VerifyReport& report, Kind kind) {
  for (const Violation& v : report.violations)
    if (v.kind == kind) return &v;
  return nullptr;
}

void expect_first(const VerifyReport& report, Kind kind, SwitchId at, Lid lid) {
  const Violation* const v = find(report, kind);
  ASSERT_NE(v, nullptr) << name(kind);
  EXPECT_EQ(v->at, at);
  EXPECT_EQ(v->lid, lid);
}

TEST_F(Verify, AcceptsSoundTablesAndSaysWhatItLookedAt) {
  const VerifyReport report = verify(fabric, tables);
  EXPECT_TRUE(report.ok());
  EXPECT_EQ(report.num_violations, 0U);
  EXPECT_EQ(report.num_entries, 4U * 8U);
  EXPECT_TRUE(report.credit_loop.empty());
  EXPECT_GT(report.num_dependencies, 0U);
}

TEST_F(Verify, AcceptsWiderRowsAndIgnoresWhatNobodyOwns) {
  ForwardingTables wide(fabric.num_switches(), Lid{100});
  for (const SwitchId s : fabric.switches())
    for (std::size_t lid = 0; lid < wide.width(); ++lid)
      wide.set(s, id_at<Lid>(lid), lid < tables.width() ? tables.at(s, id_at<Lid>(lid)) : PortNum{77});
  EXPECT_TRUE(verify(fabric, wide).ok());
}

TEST_F(Verify, ReportsEveryRowAsMissingThatEndsTooEarly) {
  const ForwardingTables narrow(fabric.num_switches(), Lid{0});
  const VerifyReport report = verify(fabric, narrow);
  expect_first(report, Kind::kMissingEntry, leaf, Lid{1});
  EXPECT_EQ(report.num_violations, 4U * 8U);
}

TEST_F(Verify, ReportsAMissingEntryWithSwitchAndOwner) {
  tables.set(root, far_host, kNoPort);
  const VerifyReport report = verify(fabric, tables);
  expect_first(report, Kind::kMissingEntry, root, far_host);
  EXPECT_EQ(report.num_violations, 1U);
  EXPECT_THAT(report.violations[0].text, HasSubstr("LID 8"));
  EXPECT_THAT(report.violations[0].text, HasSubstr(fabric.label(root)));
  EXPECT_THAT(report.violations[0].text, HasSubstr("host 3"));
}

TEST_F(Verify, ReportsPortsThatDoNotExist) {
  tables.set(root, far_host, PortNum{9});
  expect_first(verify(fabric, tables), Kind::kBadPort, root, far_host);
}

TEST_F(Verify, ReportsPortsWithoutALink) {
  const Fabric cut = without_link(fabric, root, tables.at(root, far_host));
  const VerifyReport report = verify(cut, tables);
  const Violation* const v = find(report, Kind::kBadPort);
  ASSERT_NE(v, nullptr);
  EXPECT_THAT(v->text, HasSubstr("no link"));
}

TEST_F(Verify, ReportsDeliveryToTheWrongHost) {
  tables.set(other_leaf, far_host, tables.at(other_leaf, Lid{7}));
  const VerifyReport report = verify(fabric, tables);
  expect_first(report, Kind::kWrongDelivery, other_leaf, far_host);
  EXPECT_THAT(report.violations[0].text, HasSubstr("host 2"));
}

TEST_F(Verify, ReportsDeliveryToTheWrongManagementPort) {
  tables.set(root, far_host, kManagementPort);
  expect_first(verify(fabric, tables), Kind::kWrongDelivery, root, far_host);
}

TEST_F(Verify, ReportsCirclingPacketsWithTheirLid) {
  tables.set(root, far_host, tables.at(root, Lid{1}));  // back down to the wrong leaf
  tables.set(leaf, far_host, fabric.peer(root, tables.at(root, Lid{1})).port);
  const VerifyReport report = verify(fabric, tables);
  expect_first(report, Kind::kLoop, leaf, far_host);
  EXPECT_NE(find(report, Kind::kCreditLoop), nullptr);  // a circle of packets is one of credits too
  EXPECT_EQ(report.credit_loop.size(), 2U);
  EXPECT_EQ(report.num_violations, 3U);  // two entries and the credit loop
}

TEST_F(Verify, ReportsAnOwnerThatSendsItsOwnLidAwayAsALoop) {
  tables.set(root, Lid{3}, tables.at(root, Lid{1}));  // LID 3 is the root's own
  ASSERT_EQ(fabric.destination_switch(Lid{3}), root);
  expect_first(verify(fabric, tables), Kind::kLoop, leaf, Lid{3});
}

TEST_F(Verify, BetweenEndPortsAsksForTheirWaysAlone) {
  const std::vector<EndportId> hosts = all_endports(fabric);
  tables.set(leaf, Lid{3}, kNoPort);  // of a root
  EXPECT_FALSE(verify(fabric, tables).ok());
  EXPECT_TRUE(verify_between(fabric, tables, hosts).ok());
  tables.set(leaf, far_host, kNoPort);
  const VerifyReport report = verify_between(fabric, tables, hosts);
  expect_first(report, Kind::kMissingEntry, leaf, far_host);
  EXPECT_EQ(report.num_violations, 1U);
  EXPECT_TRUE(verify_between(fabric, tables, {EndportId{0}}).ok());  // nobody sends to that host
}

TEST_F(Verify, ReportsTheFirstOfEachKindAndCountsAll) {
  tables.set(leaf, far_host, kNoPort);
  tables.set(root, far_host, kNoPort);
  tables.set(root, Lid{7}, PortNum{200});
  const VerifyReport report = verify(fabric, tables);
  EXPECT_EQ(report.violations.size(), 2U);
  EXPECT_EQ(report.num_violations, 3U);
  expect_first(report, Kind::kMissingEntry, leaf, far_host);
  expect_first(report, Kind::kBadPort, root, Lid{7});
}

TEST(VerifyParts, DoNotNeedEntriesForEachOther) {
  const Fabric whole = pgft("2;1,2;1,1;1,1");  // two leaves, one root (switch 2)
  const Fabric parts = without_link(whole, SwitchId{2}, PortNum{1});
  ForwardingTables tables = route_shortest(parts);
  EXPECT_TRUE(verify(parts, tables).ok());
  // Left-over entries toward the lost part are harmless as long as they end in a drop ...
  const Lid lost = parts.at(SwitchId{0}).lid;
  const PortNum up = parts.peer(SwitchId{2}, PortNum{2}).port;
  tables.set(SwitchId{1}, lost, up);
  EXPECT_TRUE(verify(parts, tables).ok());
  // ... but not when they make a packet circle, or point to the link that is gone.
  tables.set(SwitchId{2}, lost, PortNum{2});
  EXPECT_NE(find(verify(parts, tables), Kind::kLoop), nullptr);
  tables.set(SwitchId{2}, lost, PortNum{1});
  EXPECT_NE(find(verify(parts, tables), Kind::kBadPort), nullptr);
}

TEST(VerifyParts, DoNotNeedEntriesForEndportsOnNoSwitch) {
  const Fabric whole = pgft("2;2,2;1,2;1,1");
  const Endport& host = whole.at(EndportId{0});
  const Fabric cut = without_link(whole, host.leaf, host.leaf_port);
  ASSERT_EQ(cut.at(EndportId{0}).leaf, kNoSwitch);
  EXPECT_TRUE(verify(cut, route_shortest(cut)).ok());
}

TEST(VerifyParts, AcceptAFabricWithoutSwitches) {
  const Fabric nothing = pgft("1;1;1;1");
  const Fabric empty = without_switch(nothing, SwitchId{0});
  EXPECT_TRUE(verify(empty, ForwardingTables(0, kNoLid)).ok());
}

TEST(VerifyParts, ThrowsOnTablesOfAnotherFabric) {
  EXPECT_THROW(static_cast<void>(verify(pgft("1;2;1;1"), ForwardingTables(7, Lid{3}))), std::logic_error);
}

}  // namespace
}  // namespace espalier::test
