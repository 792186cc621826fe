// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/upload/apply.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugin/snapshot.h"
#include "tests/opensm/hand_built_subnet.h"

namespace espalier {
namespace {

using test::HandBuiltSubnet;

// Two switches with one cable between them and a host each; LIDs up to 70, so that tables have two blocks.
struct TwoSwitches : HandBuiltSubnet {
  osm_switch_t& first = add_switch(0x10, "first", 2, 1, 128);
  osm_switch_t& second = add_switch(0x20, "second", 2, 2, 128);
  osm_node_t& near = add_adapter(0x30, "near", 3);
  osm_node_t& far = add_adapter(0x40, "far", 70);
  TwoSwitches() {
    connect(*first.p_node, 1, *second.p_node, 1);
    connect(*first.p_node, 2, near, 1);
    connect(*second.p_node, 2, far, 1);
  }

  Fabric snapshot() { return *take_snapshot(osm()); }
};

ForwardingTables some_tables(const Fabric& fabric) {
  ForwardingTables tables(fabric.num_switches(), fabric.top_lid());
  for (const SwitchId s : fabric.switches()) {
    const bool is_first = fabric.at(s).guid == Guid{0x10};
    tables.set(s, Lid{1}, PortNum{static_cast<std::uint8_t>(is_first ? 0 : 1)});
    tables.set(s, Lid{2}, PortNum{static_cast<std::uint8_t>(is_first ? 1 : 0)});
    tables.set(s, Lid{3}, PortNum{static_cast<std::uint8_t>(is_first ? 2 : 1)});
    tables.set(s, Lid{70}, PortNum{static_cast<std::uint8_t>(is_first ? 1 : 2)});
  }
  return tables;
}

TEST(Apply, WritesTheTablesAndNoPathElsewhere) {
  TwoSwitches subnet;
  const Fabric fabric = subnet.snapshot();
  std::memset(subnet.first.new_lft, 9, 128);  // of an earlier run
  const auto report = apply(subnet.osm(), fabric, TableRows(some_tables(fabric)));
  ASSERT_TRUE(report);
  std::vector<std::uint8_t> wanted(128, OSM_NO_PATH);
  wanted[1] = 0;
  wanted[2] = 1;
  wanted[3] = 2;
  wanted[70] = 1;
  EXPECT_EQ(std::vector<std::uint8_t>(subnet.first.new_lft, subnet.first.new_lft + 128), wanted);
  EXPECT_EQ(subnet.second.new_lft[70], 2);
}

TEST(Apply, CountsTheEntriesAndBlocksThatDiffer) {
  TwoSwitches subnet;
  const Fabric fabric = subnet.snapshot();
  const ForwardingTables tables = some_tables(fabric);
  const auto all = *apply(subnet.osm(), fabric, TableRows(tables));
  EXPECT_EQ(all.changed_entries, 8U);
  EXPECT_EQ(all.changed_blocks, 4U);
  for (osm_switch_t* sw : {&subnet.first, &subnet.second}) std::memcpy(sw->lft, sw->new_lft, 128);
  const auto none = *apply(subnet.osm(), fabric, TableRows(tables));
  EXPECT_EQ(none.changed_entries, 0U);
  EXPECT_EQ(none.changed_blocks, 0U);
  subnet.second.lft[70] = 1;
  const auto one = *apply(subnet.osm(), fabric, TableRows(tables));
  EXPECT_EQ(one.changed_entries, 1U);
  EXPECT_EQ(one.changed_blocks, 1U);
}

TEST(Apply, CountsEveryBlockThatOpenSmSendsAnyway) {
  TwoSwitches subnet;
  const Fabric fabric = subnet.snapshot();
  const ForwardingTables tables = some_tables(fabric);
  ASSERT_TRUE(apply(subnet.osm(), fabric, TableRows(tables)));
  for (osm_switch_t* sw : {&subnet.first, &subnet.second}) std::memcpy(sw->lft, sw->new_lft, 128);
  subnet.first.need_update = 1;
  EXPECT_EQ(apply(subnet.osm(), fabric, TableRows(tables))->changed_blocks, 2U);
  subnet.osm().subn.need_update = TRUE;
  EXPECT_EQ(apply(subnet.osm(), fabric, TableRows(tables))->changed_blocks, 4U);
}

// LIDs up to 127 fill two blocks; the switch has room for a third.
TEST(Apply, CountsNoBlockBehindTheLastLid) {
  HandBuiltSubnet subnet;
  osm_switch_t& only = subnet.add_switch(0x10, "only", 1, 1, 192);
  subnet.connect(*only.p_node, 1, subnet.add_adapter(0x20, "host", 127), 1);
  const Fabric fabric = *take_snapshot(subnet.osm());
  ASSERT_EQ(fabric.top_lid(), Lid{127});
  only.need_update = 1;
  EXPECT_EQ(apply(subnet.osm(), fabric, TableRows(ForwardingTables(1, fabric.top_lid())))->changed_blocks, 2U);
}

// An error changes no table, not even those before the switch that it is about.
void expect_refused(TwoSwitches& subnet, const Fabric& fabric, std::string_view why) {
  const auto report = apply(subnet.osm(), fabric, TableRows(some_tables(fabric)));
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().message, testing::HasSubstr(why));
  for (osm_switch_t* sw : {&subnet.first, &subnet.second})
    EXPECT_TRUE(sw->new_lft == nullptr || sw->new_lft[1] == OSM_NO_PATH);
}

TEST(Apply, RefusesWhenASwitchHasGone) {
  TwoSwitches subnet;
  const Fabric fabric = subnet.snapshot();
  cl_qmap_remove_item(&subnet.osm().subn.sw_guid_tbl, &subnet.second.map_item);
  expect_refused(subnet, fabric, "second");
}

TEST(Apply, RefusesASwitchWhoseTableIsTooSmall) {
  for (const std::uint16_t capacity : {std::uint16_t{64}, std::uint16_t{70}}) {
    TwoSwitches subnet;
    subnet.second.switch_info.lin_cap = cl_hton16(capacity);
    expect_refused(subnet, subnet.snapshot(), "has room for");
  }
  TwoSwitches subnet;
  subnet.second.switch_info.lin_cap = cl_hton16(71);  // LIDs 0 to 70: just enough
  const Fabric fabric = subnet.snapshot();
  EXPECT_TRUE(apply(subnet.osm(), fabric, TableRows(some_tables(fabric))));
}

TEST(Apply, RefusesATableThatOpenSmHasNotPrepared) {
  const auto refused_after = [](auto&& fault) {
    TwoSwitches subnet;
    fault(subnet.second);
    expect_refused(subnet, subnet.snapshot(), "OpenSM prepared");
  };
  refused_after([](osm_switch_t& sw) { sw.new_lft = nullptr; });
  refused_after([](osm_switch_t& sw) { sw.lft = nullptr; });
  refused_after([](osm_switch_t& sw) { sw.lft_size = 64; });
  refused_after([](osm_switch_t& sw) { sw.lft_size = 70; });
  refused_after([](osm_switch_t& sw) { sw.max_lid_ho = 69; });
}

}  // namespace
}  // namespace espalier
