// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/probe/probe_lanes.h"

#include <gtest/gtest.h>

#include "core/io/lanes/lanes_file.h"
#include "plugin/snapshot.h"
#include "tests/opensm/hand_built_subnet.h"

namespace espalier {
namespace {

// Two switches, two hosts on the left one; the left switch has SL2VL tables that differ by port.
struct TwoSwitches : test::HandBuiltSubnet {
  osm_switch_t& left = add_switch(0x10, "left", 3, 1);
  osm_switch_t& right = add_switch(0x20, "right", 3, 2);
  osm_node_t& first = add_adapter(0x40, "first", 4);
  osm_node_t& second = add_adapter(0x50, "second", 6);
  osm_routing_engine_t engine{};

  TwoSwitches() {
    connect(*left.p_node, 1, *right.p_node, 1);
    connect(*left.p_node, 2, first, 1);
    connect(*left.p_node, 3, second, 1);
    add_sl2vl_tables(left);
    add_sl2vl_tables(right);
    set_vl(left, 2, 1, 0, 1);
    set_vl(left, 2, 1, 15, 3);
    engine.path_sl = [](void*, std::uint8_t, ib_net16_t from, ib_net16_t to) {
      return static_cast<std::uint8_t>(cl_ntoh16(from) == 4 && cl_ntoh16(to) == 6 ? 5 : cl_ntoh16(from));
    };
    osm().routing_engine_used = &engine;
    osm().subn.opt.qos = TRUE;
    osm().subn.max_ucast_lid_ho = 63;
  }
};

TEST(ProbeLanes, AreReadAsWhatTheEngineAndTheSwitchesSay) {
  TwoSwitches subnet;
  const Fabric fabric = *take_snapshot(subnet.osm());
  const Result<Lanes> lanes = read_lanes(lanes_text(subnet.osm()), "probe", fabric);
  ASSERT_TRUE(lanes) << lanes.error().text();
  EXPECT_EQ(lanes->sl(Lid{4}, Lid{6}), 5);
  EXPECT_EQ(lanes->sl(Lid{4}, Lid{1}), 4);
  EXPECT_EQ(lanes->sl(Lid{6}, Lid{4}), 6);
  EXPECT_EQ(lanes->sl(Lid{2}, Lid{6}), 2);
  const auto vls = [&](std::uint64_t guid, unsigned in, unsigned out) {
    return lanes->maps().vls(fabric.find_switch(Guid{guid}), id_at<PortNum>(in), id_at<PortNum>(out));
  };
  VlsBySl differs{};
  differs[0] = 1;
  differs[15] = 3;
  EXPECT_EQ(vls(0x10, 2, 1), differs);
  EXPECT_EQ(vls(0x10, 1, 2), VlsBySl{});
  EXPECT_EQ(vls(0x10, 3, 1), VlsBySl{});
  EXPECT_EQ(vls(0x20, 2, 1), VlsBySl{});
}

TEST(ProbeLanes, SayNothingWhereOpenSmSetsNone) {
  TwoSwitches no_qos;
  no_qos.osm().subn.opt.qos = FALSE;
  EXPECT_EQ(lanes_text(no_qos.osm()), "");
  TwoSwitches no_engine;
  no_engine.osm().routing_engine_used = nullptr;
  EXPECT_EQ(lanes_text(no_engine.osm()), "");
  TwoSwitches one_lane;
  one_lane.engine.path_sl = nullptr;
  EXPECT_EQ(lanes_text(one_lane.osm()), "");
}

}  // namespace
}  // namespace espalier
