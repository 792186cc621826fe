// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/upload/upload_ahead.h"

#include <gtest/gtest.h>

#include "plugin/snapshot.h"
#include "tests/opensm/hand_built_subnet.h"

namespace espalier {
namespace {

// Two switches with a host each, whose tables have two blocks, and room for a third.
struct TwoSwitches : test::HandBuiltSubnet {
  osm_switch_t& first = add_switch(0x10, "first", 2, 1, 192);
  osm_switch_t& second = add_switch(0x20, "second", 2, 2, 192);
  TwoSwitches() {
    connect(*first.p_node, 1, *second.p_node, 1);
    connect(*first.p_node, 2, add_adapter(0x30, "near", 3), 1);
    connect(*second.p_node, 2, add_adapter(0x40, "far", 70), 1);
  }
};

std::vector<std::uint8_t> new_table(const osm_switch_t& sw) { return {sw.new_lft, sw.new_lft + sw.lft_size}; }

ForwardingTables some_tables(const Fabric& fabric) {
  ForwardingTables tables(fabric.num_switches(), fabric.top_lid());
  for (const SwitchId s : fabric.switches()) tables.set(s, Lid{70}, PortNum{static_cast<std::uint8_t>(1 + index(s))});
  return tables;
}

// What apply() makes of it alone.
struct Wanted {
  std::vector<std::uint8_t> first, second;
  ApplyReport report;
};
Wanted applied_to_another(const ForwardingTables& tables) {
  TwoSwitches subnet;
  const Fabric fabric = *take_snapshot(subnet.osm());
  ApplyReport report = *apply(subnet.osm(), fabric, TableRows(tables));
  return {new_table(subnet.first), new_table(subnet.second), std::move(report)};
}

void expect_as_wanted(const TwoSwitches& subnet, const ApplyReport& report, const Wanted& wanted) {
  EXPECT_EQ(new_table(subnet.first), wanted.first);
  EXPECT_EQ(new_table(subnet.second), wanted.second);
  EXPECT_EQ(report.changed_entries, wanted.report.changed_entries);
  EXPECT_EQ(report.changed_blocks, wanted.report.changed_blocks);
  ASSERT_EQ(report.switches.size(), 2U);
  EXPECT_EQ(report.switches[SwitchId{0}].sw, &subnet.first);
  EXPECT_EQ(report.switches[SwitchId{1}].sw, &subnet.second);
}

TEST(UploadAhead, IsWhatTheRunWouldWrite) {
  TwoSwitches subnet;
  const Fabric fabric = *take_snapshot(subnet.osm());
  const ForwardingTables tables = some_tables(fabric);
  UploadAhead ahead;
  ahead.write(subnet.osm(), fabric, TableRows(tables), {});
  const std::uint8_t* const before = subnet.first.new_lft;
  EXPECT_EQ(new_table(subnet.first), std::vector<std::uint8_t>(192, OSM_NO_PATH)) << "the run's own";
  const ApplyReport report = *apply(subnet.osm(), fabric, TableRows(tables), &ahead);
  EXPECT_NE(subnet.first.new_lft, before);
  expect_as_wanted(subnet, report, applied_to_another(tables));
}

TEST(UploadAhead, IsLeftOutWhereOpenSmHasOtherTablesNow) {
  const auto expect_left_out = [](auto&& change) {
    TwoSwitches subnet;
    const Fabric fabric = *take_snapshot(subnet.osm());
    const ForwardingTables tables = some_tables(fabric);
    UploadAhead ahead;
    ahead.write(subnet.osm(), fabric, TableRows(tables), {});
    change(subnet.second);
    const std::uint8_t* const before = subnet.second.new_lft;
    ASSERT_TRUE(apply(subnet.osm(), fabric, TableRows(tables), &ahead));
    EXPECT_EQ(subnet.second.new_lft, before);
    EXPECT_EQ(subnet.second.new_lft[70], 2);
  };
  expect_left_out([](osm_switch_t& sw) { sw.lft_size = 128; });
  expect_left_out([](osm_switch_t& sw) { sw.max_lid_ho = 127; });
}

TEST(UploadAhead, IsUsedOnce) {
  TwoSwitches subnet;
  const Fabric fabric = *take_snapshot(subnet.osm());
  const ForwardingTables tables = some_tables(fabric);
  UploadAhead ahead;
  ahead.write(subnet.osm(), fabric, TableRows(tables), {});
  ASSERT_TRUE(apply(subnet.osm(), fabric, TableRows(tables), &ahead));
  std::memset(subnet.first.new_lft, OSM_NO_PATH, subnet.first.lft_size);
  expect_as_wanted(subnet, *apply(subnet.osm(), fabric, TableRows(tables), &ahead), applied_to_another(tables));
}

TEST(UploadAhead, LeavesTheRestToTheRunThatHasBegun) {
  TwoSwitches subnet;
  const Fabric fabric = *take_snapshot(subnet.osm());
  const ForwardingTables tables = some_tables(fabric);
  std::stop_source stop;
  stop.request_stop();
  UploadAhead ahead, none;
  ahead.write(subnet.osm(), fabric, TableRows(tables), stop.get_token());
  expect_as_wanted(subnet, *apply(subnet.osm(), fabric, TableRows(tables), &ahead), applied_to_another(tables));
  expect_as_wanted(subnet, *apply(subnet.osm(), fabric, TableRows(tables), &none), applied_to_another(tables));
}

TEST(UploadAhead, TellsOfBlocksThatNobodyAcknowledged) {
  TwoSwitches subnet;
  const Fabric fabric = *take_snapshot(subnet.osm());
  const ForwardingTables tables = some_tables(fabric);
  std::memset(subnet.second.lft + 64, 0, 64);
  UploadAhead ahead;
  ahead.write(subnet.osm(), fabric, TableRows(tables), {});
  const ApplyReport report = *apply(subnet.osm(), fabric, TableRows(tables), &ahead);
  EXPECT_FALSE(report.switches[SwitchId{0}].is_unacknowledged);
  EXPECT_TRUE(report.switches[SwitchId{1}].is_unacknowledged);
}

}  // namespace
}  // namespace espalier
