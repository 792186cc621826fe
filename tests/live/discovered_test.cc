// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// core/live/discovered.h, with the holes and oddities that no simulator makes.
#include "core/live/discovered.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <string>
#include <vector>

namespace espalier::live {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr unsigned kDown = 2;
constexpr unsigned kUp = 5;

void set(std::uint8_t (&record)[IB_SMP_DATA_SIZE], MAD_FIELDS field, unsigned value) {
  mad_set_field(record, 0, field, value);
}

// Nodes as libibnetdisc keeps them.
class Discovery {
 public:
  ibnd_node_t& add_switch(const std::string& name, std::uint64_t guid, int num_ports, unsigned lid) {
    ibnd_node_t& node = add(name, guid, num_ports, IB_NODE_SWITCH);
    set(node.switchinfo, IB_SW_LINEAR_FDB_CAP_F, 1024);
    set(node.switchinfo, IB_SW_LINEAR_FDB_TOP_F, 77);
    node.smalid = static_cast<std::uint16_t>(lid);
    for (int p = 0; p <= num_ports; ++p) set(add_port(node, p).info, IB_PORT_PHYS_STATE_F, p == 0 ? kUp : kDown);
    return node;
  }
  ibnd_node_t& add_host(const std::string& name, std::uint64_t guid, unsigned lid) {
    ibnd_node_t& node = add(name, guid, 1, IB_NODE_CA);
    ibnd_port_t& port = add_port(node, 1);
    port.guid = guid + 0x100;
    port.base_lid = static_cast<std::uint16_t>(lid);
    return node;
  }
  static void connect(ibnd_node_t& a, int a_port, ibnd_node_t& b, int b_port) {
    a.ports[a_port]->remoteport = b.ports[b_port];
    b.ports[b_port]->remoteport = a.ports[a_port];
    for (ibnd_port_t* port : {a.ports[a_port], b.ports[b_port]}) set(port->info, IB_PORT_PHYS_STATE_F, kUp);
  }
  [[nodiscard]] Result<LiveSubnet> subnet() {
    ibnd_fabric_t fabric{};
    for (ibnd_node_t& node : nodes_) {
      node.next = fabric.nodes;
      fabric.nodes = &node;
    }
    return subnet_of(fabric);
  }

 private:
  ibnd_node_t& add(const std::string& name, std::uint64_t guid, int num_ports, int type) {
    ibnd_node_t& node = nodes_.emplace_back();
    node.guid = guid;
    node.type = type;
    node.numports = num_ports;
    std::strncpy(node.nodedesc, name.c_str(), IB_SMP_DATA_SIZE);
    node.ports = port_lists_.emplace_back(num_ports + 1).data();
    return node;
  }
  ibnd_port_t& add_port(ibnd_node_t& node, int number) {
    ibnd_port_t& port = ports_.emplace_back();
    port.node = &node;
    port.portnum = number;
    node.ports[number] = &port;
    return port;
  }

  std::deque<ibnd_node_t> nodes_;
  std::deque<ibnd_port_t> ports_;
  std::deque<std::vector<ibnd_port_t*>> port_lists_;
};

// Two switches with a link between their ports 2, and a host on port 1 of each.
struct TwoSwitches : Discovery {
  ibnd_node_t& left = add_switch("left", 0xA, 4, 1);
  ibnd_node_t& right = add_switch("right", 0xB, 4, 2);
  ibnd_node_t& host = add_host("host", 0xC00, 10);
  ibnd_node_t& other = add_host("other", 0xD00, 11);

  TwoSwitches() {
    connect(left, 2, right, 2);
    connect(left, 1, host, 1);
    connect(right, 1, other, 1);
  }
};

const SwitchId kLeft{0};
const SwitchId kRight{1};

TEST(Discovered, takes_over_nodes_links_lids_and_the_way_to_each_switch) {
  TwoSwitches all;
  all.right.path_portid.drpath.cnt = 2;
  all.right.path_portid.drpath.p[1] = 1;
  all.right.path_portid.drpath.p[2] = 2;
  const Result<LiveSubnet> subnet = all.subnet();
  ASSERT_TRUE(subnet) << subnet.error().text();
  const Fabric& fabric = subnet->fabric;
  ASSERT_EQ(fabric.num_switches(), 2u);
  ASSERT_EQ(fabric.num_endports(), 2u);
  EXPECT_EQ(fabric.at(kLeft).description, "left");
  EXPECT_EQ(fabric.at(kLeft).lid, Lid{1});
  EXPECT_EQ(fabric.at(kLeft).lft_capacity, 1024u);
  EXPECT_EQ(fabric.num_switch_links(), 1u);
  EXPECT_EQ(fabric.peer(kLeft, PortNum{2}).as_switch(), kRight);
  const Endport& host = fabric.at(EndportId{0});
  EXPECT_EQ(host.port_guid, Guid{0xD00}) << "node GUID + 0x100";
  EXPECT_EQ(host.node_guid, Guid{0xC00});
  EXPECT_EQ(host.leaf, kLeft);
  EXPECT_EQ(host.lid, Lid{10});
  EXPECT_EQ(subnet->tables[kRight].top, 77);
  EXPECT_EQ(subnet->tables[kRight].route.hops, 2);
  EXPECT_EQ(subnet->tables[kRight].route.ports[2], 2);
  EXPECT_THAT(subnet->warnings, IsEmpty());
  EXPECT_THAT(subnet->silent, IsEmpty());
}

TEST(Discovered, takes_the_newest_speed_that_a_port_tells) {
  TwoSwitches all;
  std::memset(all.right.ports[2]->info, 0, sizeof all.right.ports[2]->info);  // the end that tells is asked
  set(all.left.ports[2]->info, IB_PORT_LINK_WIDTH_ACTIVE_F, 2);
  set(all.left.ports[2]->info, IB_PORT_LINK_SPEED_ACTIVE_F, 4);
  EXPECT_EQ(all.subnet()->fabric.rate(kLeft, PortNum{2}).text(), "4xQDR");
  set(all.left.ports[2]->ext_info, IB_MLNX_EXT_PORT_LINK_SPEED_ACTIVE_F, 1);
  EXPECT_EQ(all.subnet()->fabric.rate(kLeft, PortNum{2}).text(), "4xFDR10");
  set(all.left.ports[2]->info, IB_PORT_LINK_SPEED_EXT_ACTIVE_F, 8);
  EXPECT_EQ(all.subnet()->fabric.rate(kLeft, PortNum{2}).text(), "4xFDR10")
      << "no bit at port 0: the field is reserved";
  set(all.left.ports[0]->info, IB_PORT_CAPMASK_F, 1 << 14);
  EXPECT_EQ(all.subnet()->fabric.rate(kLeft, PortNum{2}).text(), "4xNDR");
  set(all.left.ports[2]->info, IB_PORT_LINK_WIDTH_ACTIVE_F, 16);
  EXPECT_EQ(all.subnet()->fabric.rate(kRight, PortNum{2}).text(), "2xNDR");
}

TEST(Discovered, gives_a_base_port_0_one_lid_whatever_its_lmc_field_says) {
  TwoSwitches all;
  all.left.smalmc = all.right.smalmc = 1;
  all.left.smalid = 6;
  all.right.smaenhsp0 = 1;
  const Result<LiveSubnet> subnet = all.subnet();
  ASSERT_TRUE(subnet) << subnet.error().text();
  EXPECT_EQ(subnet->fabric.at(kLeft).lmc, 0);
  EXPECT_EQ(subnet->fabric.at(kRight).lmc, 1);
  EXPECT_EQ(subnet->fabric.at(kRight).port0, Port0Kind::kEnhanced);
}

TEST(Discovered, knows_no_lid_where_none_is_assigned) {
  TwoSwitches all;
  all.host.ports[1]->base_lid = 0xFFFF;
  EXPECT_EQ(all.subnet()->fabric.at(EndportId{0}).lid, kNoLid);
}

TEST(Discovered, tells_of_a_port_that_is_up_without_a_neighbor) {
  TwoSwitches all;
  set(all.left.ports[3]->info, IB_PORT_PHYS_STATE_F, kUp);
  const Result<LiveSubnet> subnet = all.subnet();
  ASSERT_EQ(subnet->silent.size(), 1u);
  EXPECT_EQ(subnet->silent[0].at, kLeft);
  EXPECT_EQ(subnet->silent[0].port, PortNum{3});
  EXPECT_THAT(subnet->warnings, ElementsAre("the node at port 3 of switch 0x000000000000000a (left) does not answer"));
}

TEST(Discovered, tells_of_ports_and_switches_that_left_a_question_open) {
  TwoSwitches all;
  all.left.ports[3] = nullptr;
  std::memset(all.right.switchinfo, 0, sizeof all.right.switchinfo);
  std::memset(all.host.ports[1]->info, 0, sizeof all.host.ports[1]->info);
  const Result<LiveSubnet> subnet = all.subnet();
  EXPECT_THAT(subnet->warnings, ElementsAre(HasSubstr("(host) port 1 does not report its LID"),
                                            HasSubstr("(left) does not report its port 3"),
                                            HasSubstr("(right) does not report the size of its table")));
  EXPECT_EQ(subnet->silent.size(), 1u);
  EXPECT_FALSE(subnet->tables[kRight].top);
  EXPECT_TRUE(subnet->tables[kLeft].top);
}

TEST(Discovered, keeps_links_from_a_switch_to_itself) {
  TwoSwitches all;
  Discovery::connect(all.left, 3, all.left, 4);
  const Result<LiveSubnet> subnet = all.subnet();
  ASSERT_TRUE(subnet) << subnet.error().text();
  EXPECT_EQ(subnet->fabric.peer(kLeft, PortNum{3}).as_switch(), kLeft);
  EXPECT_EQ(subnet->fabric.peer(kLeft, PortNum{3}).port, PortNum{4});
}

TEST(Discovered, refuses_lids_that_two_nodes_have) {
  TwoSwitches all;
  all.host.ports[1]->base_lid = 2;
  const Result<LiveSubnet> subnet = all.subnet();
  ASSERT_FALSE(subnet);
  EXPECT_THAT(subnet.error().text(), HasSubstr("right"));
}

}  // namespace
}  // namespace espalier::live
