// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/multicast/multicast.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/engines/engines.h"
#include "core/tree/rank.h"
#include "tests/opensm/hand_built_subnet.h"
#include "tests/opensm/other_way_round.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint16_t kMlid = 0xC001;

// Two leaves below a spine, a host on each leaf.
//
//        spine 0x30
//       1/        \2
//   leaf 0x10    leaf 0x20
//      2|           |2
//   host 0x40    host 0x50
struct TwoLeaves : test::HandBuiltSubnet {
  osm_switch_t& left = add_switch(0x10, "left", 4, 1);
  osm_switch_t& right = add_switch(0x20, "right", 4, 2);
  osm_switch_t& spine = add_switch(0x30, "spine", 2, 3);
  osm_node_t& host_left = add_adapter(0x40, "host left", 4);
  osm_node_t& host_right = add_adapter(0x50, "host right", 5);
  TwoLeaves() {
    connect(*left.p_node, 1, *spine.p_node, 1);
    connect(*right.p_node, 1, *spine.p_node, 2);
    connect(*left.p_node, 2, host_left, 1);
    connect(*right.p_node, 2, host_right, 1);
  }

  Status build(const std::vector<std::uint64_t>& members) {
    std::vector<osm_port_t*> ports;
    for (const std::uint64_t guid : members) ports.push_back(&port_by_guid(guid));
    return MulticastState().build(osm(), add_group(kMlid, ports));
  }
};

TEST(Multicast, JoinsHostsOnTwoLeavesOverTheSpine) {
  TwoLeaves subnet;
  ASSERT_TRUE(subnet.build({0x41, 0x51}));
  EXPECT_THAT(subnet.multicast_ports(subnet.left, kMlid), ElementsAre(1, 2));
  EXPECT_THAT(subnet.multicast_ports(subnet.right, kMlid), ElementsAre(1, 2));
  EXPECT_THAT(subnet.multicast_ports(subnet.spine, kMlid), ElementsAre(1, 2));
}

TEST(Multicast, SetsPort0OfASwitchThatIsAMemberItself) {
  TwoLeaves subnet;
  ASSERT_TRUE(subnet.build({0x10, 0x51}));
  EXPECT_THAT(subnet.multicast_ports(subnet.left, kMlid), ElementsAre(0, 1));
}

TEST(Multicast, NeedsNoTreeForOneMember) {
  TwoLeaves subnet;
  ASSERT_TRUE(subnet.build({0x41}));
  EXPECT_THAT(subnet.multicast_ports(subnet.left, kMlid), IsEmpty());
}

// OpenSM sends no switch a block that it believes never to have been used. What a former manager left there would stay.
TEST(Multicast, HasTheBlockOfTheGroupSentToAllSwitches) {
  TwoLeaves subnet;
  for (osm_switch_t* sw : {&subnet.left, &subnet.right, &subnet.spine}) sw->mcast_tbl.max_block_in_use = -1;
  subnet.right.mcast_tbl.max_block_in_use = 3;
  ASSERT_TRUE(subnet.build({0x41}));
  EXPECT_EQ(subnet.left.mcast_tbl.max_block_in_use, 0);
  EXPECT_EQ(subnet.right.mcast_tbl.max_block_in_use, 3);
  EXPECT_EQ(subnet.spine.mcast_tbl.max_block_in_use, 0);
}

TEST(Multicast, SkipsMembersWithoutACable) {
  TwoLeaves subnet;
  subnet.port(subnet.host_right, 1).p_remote_physp = nullptr;
  ASSERT_TRUE(subnet.build({0x41, 0x51}));
  EXPECT_THAT(subnet.multicast_ports(subnet.left, kMlid), IsEmpty());  // one member is left
}

TEST(Multicast, SkipsMembersWithoutAPort) {
  TwoLeaves subnet;
  subnet.port_by_guid(0x51).p_physp = nullptr;
  ASSERT_TRUE(subnet.build({0x41, 0x51}));
  EXPECT_THAT(subnet.multicast_ports(subnet.left, kMlid), IsEmpty());
}

TEST(Multicast, SkipsMembersBackToBackWithAnotherHost) {
  TwoLeaves subnet;
  osm_node_t& a = subnet.add_adapter(0x60, "a", 6);
  osm_node_t& b = subnet.add_adapter(0x70, "b", 7);
  subnet.connect(a, 1, b, 1);
  ASSERT_TRUE(subnet.build({0x41, 0x61, 0x71}));
  EXPECT_THAT(subnet.multicast_ports(subnet.left, kMlid), IsEmpty());
}

// OpenSM 3.3.23 keeps pointers to ports of nodes that it has dropped.
TEST(Multicast, SkipsMembersWhoseSwitchIsGone) {
  TwoLeaves subnet;
  cl_qmap_remove_item(&subnet.osm().subn.node_guid_tbl, &subnet.right.p_node->map_item);
  cl_qmap_remove_item(&subnet.osm().subn.sw_guid_tbl, &subnet.right.map_item);
  ASSERT_TRUE(subnet.build({0x41, 0x51}));
  EXPECT_THAT(subnet.multicast_ports(subnet.right, kMlid), IsEmpty());
}

TEST(Multicast, NamesASwitchThatCannotBeJoined) {
  TwoLeaves subnet;
  subnet.right.switch_info.mcast_cap = 0;
  const Status built = subnet.build({0x41, 0x10, 0x51});
  ASSERT_FALSE(built);
  EXPECT_THAT(built.error().message, testing::HasSubstr("1 switch "));
  EXPECT_THAT(built.error().message, testing::HasSubstr("right"));
  EXPECT_THAT(subnet.multicast_ports(subnet.left, kMlid), ElementsAre(0, 2));  // the others are joined
}

TEST(Multicast, KeepsALaneOfItsOwnWhileOneIsFree) {
  const auto fabric = std::make_shared<const Fabric>(test::generated("torus", "5,5,3,1"));
  const auto tree = std::make_shared<const FatTree>(rank(*fabric).value());
  test::HandBuiltSubnet subnet;
  for (const SwitchId s : fabric->switches())
    subnet.add_switch(index(fabric->at(s).guid), "switch", fabric->at(s).num_ports,
                      static_cast<std::uint16_t>(fabric->at(s).lid), 256);
  const Routing routing = make_engine("layers", {})->route(*tree).value();
  const auto lanes = std::make_shared<const Lanes>(test::other_way_round(*routing.lanes));
  const unsigned vls = lanes->num_vls();
  const auto much = std::make_shared<const ChannelDependencies>(*fabric, routing.tables, *lanes);
  const auto nothing = std::make_shared<const ChannelDependencies>(*fabric, vls);
  MulticastState state;
  const auto adopt = [&](const std::shared_ptr<const ChannelDependencies>& unicast, unsigned max_vls) {
    return state.adopt(subnet.osm(), fabric, tree, MulticastState::Unicast{unicast, lanes, max_vls});
  };
  EXPECT_FALSE(adopt(nothing, vls + 1).own_lane);
  const auto own_lane = adopt(much, vls + 1).own_lane;
  EXPECT_TRUE(own_lane);
  EXPECT_EQ(adopt(much, vls + 1).own_lane, own_lane) << "nothing has changed";
  EXPECT_TRUE(adopt(nothing, vls + 1).own_lane);
  EXPECT_FALSE(adopt(nothing, vls).own_lane);
  EXPECT_TRUE(adopt(nothing, vls).sound);
  EXPECT_FALSE(adopt(much, vls).sound);
  EXPECT_FALSE(adopt(nothing, vls + 1).own_lane);
}

}  // namespace
}  // namespace espalier
