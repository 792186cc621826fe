// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/lanes/active_lanes.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "core/io/lanes/vl_arbitration.h"
#include "plugin/lanes/link_lanes.h"
#include "plugin/readings.h"
#include "plugin/snapshot.h"
#include "tests/opensm/hand_built_subnet.h"

namespace espalier {
namespace {

constexpr std::uint8_t kFourVls = 3;  // VLCap, as PortInfo codes it
constexpr std::uint8_t kEightVls = 4;

struct TwoSwitches : test::HandBuiltSubnet {
  osm_switch_t& left = add_switch(0x10, "left", 3, 1);
  osm_switch_t& right = add_switch(0x20, "right", 3, 2);
  osm_node_t& host = add_adapter(0x40, "host", 4);
  TwoSwitches() {
    connect(*left.p_node, 1, *right.p_node, 1);
    connect(*left.p_node, 2, host, 1);
    set_vl_cap(*left.p_node, 1, kEightVls);
    set_vl_cap(*right.p_node, 1, kEightVls);
    set_vl_cap(*left.p_node, 2, 1);  // links to hosts do not count
  }
  static void set_vl_cap(osm_node_t& node, unsigned number, std::uint8_t code) {
    port(node, number).port_info.vl_cap = static_cast<std::uint8_t>(code << 4U);
  }
};

LinkFigures figures(TwoSwitches& subnet) { return link_figures(read_subnet(subnet.osm())); }
unsigned lanes_of_links(TwoSwitches& subnet) { return lanes_of_links(opensm_options(subnet.osm()), figures(subnet)); }
unsigned served_lanes(TwoSwitches& subnet) { return served_lanes(opensm_options(subnet.osm()), figures(subnet)); }
unsigned lanes_in_operation(TwoSwitches& subnet) { return figures(subnet).in_operation; }

TEST(LanesOfLinks, AreThoseThatBothEndsOfEachLinkBetweenSwitchesHave) {
  TwoSwitches subnet;
  EXPECT_EQ(lanes_of_links(subnet), 8U);
  TwoSwitches::set_vl_cap(*subnet.right.p_node, 1, kFourVls);
  EXPECT_EQ(lanes_of_links(subnet), 4U);
  TwoSwitches::set_vl_cap(*subnet.right.p_node, 1, 9);  // no code of the specification: as many as there can be
  EXPECT_EQ(lanes_of_links(subnet), 8U);
}

TEST(LanesOfLinks, AreNoMoreThanOpenSmIsToldToUse) {
  TwoSwitches subnet;
  subnet.osm().subn.opt.max_op_vls = 2;
  EXPECT_EQ(lanes_of_links(subnet), 2U);
  subnet.osm().subn.opt.max_op_vls = 5;
  EXPECT_EQ(lanes_of_links(subnet), 8U);
}

// What has no weight in either table is never sent.
TEST(ServedLanes, AreThoseThatVlArbitrationServes) {
  TwoSwitches subnet;
  EXPECT_EQ(served_lanes(subnet), 15U) << "by OpenSM's own tables";
  std::string low = "0:240,1:16";
  std::string high = "0:0";
  auto& opt = subnet.osm().subn.opt;
  opt.qos_options.vlarb_low = low.data();
  opt.qos_options.vlarb_high = high.data();
  EXPECT_EQ(served_lanes(subnet), 2U);
  std::string gap = "0:1,1:1,2:0,3:1";
  opt.qos_swe_options.vlarb_low = gap.data();
  EXPECT_EQ(served_lanes(subnet), 2U);
  std::string fills_it = "2:4,";
  opt.qos_swe_options.vlarb_high = fills_it.data();
  EXPECT_EQ(served_lanes(subnet), 4U);
  std::string none;
  opt.qos_swe_options.vlarb_low = none.data();
  opt.qos_swe_options.vlarb_high = none.data();
  EXPECT_EQ(served_lanes(subnet), 1U);
  EXPECT_EQ(VlArbitration().low, OSM_DEFAULT_QOS_VLARB_LOW) << "what doctor takes";
  EXPECT_EQ(VlArbitration().high, OSM_DEFAULT_QOS_VLARB_HIGH);
}

// OpenSM writes only the entries that a port has room for.
TEST(ServedLanes, AreAmongTheEntriesThatPortsHaveRoomFor) {
  TwoSwitches subnet;
  std::string low = "0:64,0:64,0:64,1:16";
  std::string high = "0:0";
  auto& opt = subnet.osm().subn.opt;
  opt.qos_options.vlarb_low = low.data();
  opt.qos_options.vlarb_high = high.data();
  EXPECT_EQ(served_lanes(subnet), 2U) << "where ports do not say how much room they have";
  ib_port_info_t& port = TwoSwitches::port(*subnet.right.p_node, 1).port_info;
  port.vl_arb_low_cap = 3;
  EXPECT_EQ(served_lanes(subnet), 1U);
  port.vl_arb_low_cap = 64;  // of which OpenSM writes 32
  EXPECT_EQ(served_lanes(subnet), 2U);
  low = "";
  for (int i = 0; i < 32; ++i) low += "0:1,";
  low += "1:1";
  opt.qos_options.vlarb_low = low.data();
  EXPECT_EQ(served_lanes(subnet), 1U);
}

TEST(LanesOfLinks, DoNotCountLinksThatAreDown) {
  TwoSwitches subnet;
  for (osm_switch_t* sw : {&subnet.left, &subnet.right})
    TwoSwitches::port(*sw->p_node, 1).port_info.state_info1 = IB_LINK_DOWN;
  EXPECT_EQ(lanes_of_links(subnet), 15U);
}

TEST(LanesInOperation, AreThoseThatPortsHadAtDiscovery) {
  TwoSwitches subnet;
  const auto set_op_vls = [](osm_node_t& node, std::uint8_t code) {
    TwoSwitches::port(node, 1).port_info.vl_enforce = static_cast<std::uint8_t>(code << 4U);
  };
  set_op_vls(*subnet.left.p_node, kEightVls);
  set_op_vls(*subnet.right.p_node, kEightVls);
  subnet.osm().subn.opt.max_op_vls = 2;  // what they will have
  EXPECT_EQ(lanes_in_operation(subnet), 8U);
  set_op_vls(*subnet.right.p_node, 1);
  EXPECT_EQ(lanes_in_operation(subnet), 1U);
}

TEST(LanesPossible, NeedQosAndNoServiceLevelOfTheSwitchesOwn) {
  TwoSwitches subnet;
  EXPECT_EQ(check_lanes_possible(opensm_options(subnet.osm()), "layers", {}).error().advice,
            "set qos TRUE in opensm.conf");
  subnet.osm().subn.opt.qos = TRUE;
  EXPECT_TRUE(check_lanes_possible(opensm_options(subnet.osm()), "layers", {}));
  EXPECT_TRUE(check_lanes_possible(opensm_options(subnet.osm()), "layers", 0U));
  EXPECT_FALSE(check_lanes_possible(opensm_options(subnet.osm()), "layers", 1U));
}

TEST(ActiveLanes, KnowSwitchesByGuidAndTheirPorts) {
  TwoSwitches subnet;
  const Fabric fabric = *take_snapshot(subnet.osm());
  VlsBySl vls{};
  vls[2] = 1;
  const ActiveLanes active(fabric,
                           std::make_shared<const Lanes>(ServiceLevels(fabric.top_lid(), 1, 1), LaneMaps(fabric, vls)));
  EXPECT_EQ(active.sl(1, 4), 0);
  EXPECT_EQ(active.vls(Guid{0x20}, 0, 3), vls);
  EXPECT_EQ(active.vls(Guid{0x20}, 4, 1), std::nullopt);
  EXPECT_EQ(active.vls(Guid{0x20}, 1, 4), std::nullopt);
  EXPECT_EQ(active.vls(Guid{0x18}, 1, 1), std::nullopt);
  EXPECT_EQ(active.vls(Guid{0x30}, 1, 1), std::nullopt);
}

}  // namespace
}  // namespace espalier
