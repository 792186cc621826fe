// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/snapshot.h"

#include <gtest/gtest.h>

#include <functional>
#include <utility>
#include <vector>

#include "plugin/readings.h"
#include "tests/opensm/hand_built_subnet.h"

namespace espalier {
namespace {

using test::HandBuiltSubnet;

// A leaf with two hosts below a spine, two cables between the switches.
//
//   spine 0x20 ==(1,2)== leaf 0x10 --3-- host 0x30, --4-- host 0x40
struct TwoLevels : HandBuiltSubnet {
  osm_switch_t& leaf = add_switch(0x10, "leaf", 4, 1);
  osm_switch_t& spine = add_switch(0x20, "spine", 2, 2);
  osm_node_t& host_a = add_adapter(0x30, "host a HCA-1", 3);
  osm_node_t& host_b = add_adapter(0x40, "host b HCA-1", 4);
  TwoLevels() {
    connect(*leaf.p_node, 1, *spine.p_node, 1);
    connect(*leaf.p_node, 2, *spine.p_node, 2);
    connect(*leaf.p_node, 3, host_a, 1);
    connect(*leaf.p_node, 4, host_b, 1);
  }
  osm_physp_t& leaf_port(unsigned p) { return port(*leaf.p_node, p); }
  Fabric snapshot() { return *take_snapshot(osm()); }
};

SwitchId leaf_of(const Fabric& fabric) { return fabric.find_switch(Guid{0x10}); }

TEST(Snapshot, HasSwitchesEndportsAndCablesAsOpenSmHasThem) {
  TwoLevels subnet;
  const Fabric fabric = subnet.snapshot();
  ASSERT_EQ(fabric.num_switches(), 2U);
  ASSERT_EQ(fabric.num_endports(), 2U);
  EXPECT_EQ(fabric.num_switch_links(), 2U);
  const SwitchId leaf = leaf_of(fabric), spine = fabric.find_switch(Guid{0x20});
  EXPECT_EQ(fabric.at(leaf).description, "leaf");
  EXPECT_EQ(fabric.at(leaf).num_ports, 4);
  EXPECT_EQ(fabric.at(leaf).lid, Lid{1});
  EXPECT_EQ(fabric.at(leaf).lft_capacity, 64);
  EXPECT_EQ(fabric.at(leaf).port0, Port0Kind::kBase);
  for (unsigned p : {1, 2}) {
    const Peer& peer = fabric.peer(leaf, id_at<PortNum>(p));
    ASSERT_TRUE(peer.is_switch());
    EXPECT_EQ(peer.as_switch(), spine);
    EXPECT_EQ(peer.port, id_at<PortNum>(p));
  }
  const EndportId host = fabric.find_endport(Guid{0x31});
  ASSERT_NE(host, kNoEndport);
  EXPECT_EQ(fabric.at(host).description, "host a HCA-1");
  EXPECT_EQ(fabric.at(host).node_guid, Guid{0x30});
  EXPECT_EQ(fabric.at(host).port, PortNum{1});
  EXPECT_EQ(fabric.at(host).lid, Lid{3});
  EXPECT_EQ(fabric.at(host).kind, EndportKind::kChannelAdapter);
  EXPECT_EQ(fabric.at(host).leaf, leaf);
  EXPECT_EQ(fabric.at(host).leaf_port, PortNum{3});
}

TEST(Snapshot, ReadsTheLmcOfAPortAndTheKindOfPort0) {
  TwoLevels subnet;
  subnet.port(subnet.host_a, 1).port_info.mkey_lmc = 2;
  subnet.port(subnet.host_a, 1).port_info.base_lid = cl_hton16(8);
  subnet.osm().subn.port_lid_tbl.p_ptr_array[8] = &subnet.port_by_guid(0x31);
  subnet.spine.switch_info.flags = 0x08;  // EnhancedPort0
  const Fabric fabric = subnet.snapshot();
  EXPECT_EQ(fabric.at(fabric.find_endport(Guid{0x31})).lmc, 2);
  EXPECT_EQ(fabric.at(fabric.find_switch(Guid{0x20})).port0, Port0Kind::kEnhanced);
  EXPECT_EQ(fabric.at(leaf_of(fabric)).port0, Port0Kind::kBase);
}

TEST(Snapshot, TakesANodeWithoutADescription) {
  HandBuiltSubnet subnet;
  subnet.add_switch(0x10, nullptr, 4, 1);
  const Result<Fabric> fabric = take_snapshot(subnet.osm());
  ASSERT_TRUE(fabric);
  EXPECT_EQ(fabric->at(SwitchId{0}).description, "");
}

TEST(Snapshot, KnowsRoutersAndAdaptersWithTwoPorts) {
  TwoLevels subnet;
  osm_node_t& router = subnet.add_adapter(0x50, "router", 5, 2, IB_NODE_TYPE_ROUTER);
  static_cast<void>(router);
  const Fabric fabric = subnet.snapshot();
  ASSERT_EQ(fabric.num_endports(), 4U);
  const Endport& second = fabric.at(fabric.find_endport(Guid{0x52}));
  EXPECT_EQ(second.kind, EndportKind::kRouter);
  EXPECT_EQ(second.port, PortNum{2});
  EXPECT_EQ(second.lid, Lid{6});
  EXPECT_EQ(second.leaf, kNoSwitch);  // no cable
}

TEST(Snapshot, GivesNoLidToAPortThatHasNone) {
  TwoLevels subnet;
  subnet.port(subnet.host_a, 1).port_info.base_lid = 0;
  EXPECT_EQ(subnet.snapshot().at(subnet.snapshot().find_endport(Guid{0x31})).lid, kNoLid);
}

TEST(Snapshot, GivesNoLidToAPortWhoseLidBelongsToAnother) {
  TwoLevels subnet;
  subnet.port(subnet.host_a, 1).port_info.base_lid = cl_hton16(4);  // host b's
  const Fabric fabric = subnet.snapshot();
  EXPECT_EQ(fabric.at(fabric.find_endport(Guid{0x31})).lid, kNoLid);
  EXPECT_EQ(fabric.at(fabric.find_endport(Guid{0x41})).lid, Lid{4});
}

TEST(Snapshot, LeavesOutCablesThatCarryNoPackets) {
  const auto links_after = [](auto&& fault) {
    TwoLevels subnet;
    fault(subnet);
    return subnet.snapshot().num_switch_links();
  };
  EXPECT_EQ(links_after([](TwoLevels&) {}), 2U);
  EXPECT_EQ(links_after([](TwoLevels& s) { s.leaf_port(1).healthy = FALSE; }), 1U);
  EXPECT_EQ(links_after([](TwoLevels& s) { s.leaf_port(1).port_info.state_info1 = IB_LINK_DOWN; }), 1U);
  EXPECT_EQ(links_after([](TwoLevels& s) { s.port(*s.spine.p_node, 1).port_info.state_info1 = IB_LINK_DOWN; }), 1U);
  EXPECT_EQ(links_after([](TwoLevels& s) { s.leaf_port(1).port_info.state_info1 = IB_LINK_INIT; }), 2U);
  EXPECT_EQ(links_after([](TwoLevels& s) { s.leaf_port(1).p_remote_physp = nullptr; }), 1U);
  EXPECT_EQ(links_after([](TwoLevels& s) { s.leaf_port(1).port_guid = 0; }), 1U);
  // Each end names another partner.
  EXPECT_EQ(links_after([](TwoLevels& s) { s.leaf_port(1).p_remote_physp = &s.port(*s.spine.p_node, 2); }), 1U);
}

// OpenSM 3.3.23 keeps pointers to ports of nodes that it has dropped.
TEST(Snapshot, FollowsNoPointerToAPortThatIsGone) {
  TwoLevels subnet;
  cl_qmap_remove_item(&subnet.osm().subn.node_guid_tbl, &subnet.host_a.map_item);
  const Fabric fabric = subnet.snapshot();
  EXPECT_FALSE(fabric.peer(leaf_of(fabric), PortNum{3}).is_endport());
  EXPECT_TRUE(fabric.peer(leaf_of(fabric), PortNum{4}).is_endport());
}

TEST(Snapshot, ReadsTheRateFromTheNewestFieldThatIsSet) {
  struct Case {
    std::uint8_t width, speed, extended, mellanox;
    LinkRate rate;
  };
  for (const Case& c : {Case{IB_LINK_WIDTH_ACTIVE_1X, IB_LINK_SPEED_ACTIVE_2_5, 0, 0, {1, LinkSpeed::kSdr}},
                        Case{IB_LINK_WIDTH_ACTIVE_2X, IB_LINK_SPEED_ACTIVE_5, 0, 0, {2, LinkSpeed::kDdr}},
                        Case{IB_LINK_WIDTH_ACTIVE_4X, IB_LINK_SPEED_ACTIVE_10, 0, 0, {4, LinkSpeed::kQdr}},
                        Case{IB_LINK_WIDTH_ACTIVE_4X, IB_LINK_SPEED_ACTIVE_10, 0, FDR10, {4, LinkSpeed::kFdr10}},
                        Case{IB_LINK_WIDTH_ACTIVE_8X, IB_LINK_SPEED_ACTIVE_10, 1, FDR10, {8, LinkSpeed::kFdr}},
                        Case{IB_LINK_WIDTH_ACTIVE_12X, IB_LINK_SPEED_ACTIVE_10, 2, 0, {12, LinkSpeed::kEdr}},
                        Case{IB_LINK_WIDTH_ACTIVE_4X, IB_LINK_SPEED_ACTIVE_10, 4, 0, {4, LinkSpeed::kHdr}},
                        Case{IB_LINK_WIDTH_ACTIVE_4X, IB_LINK_SPEED_ACTIVE_10, 8, 0, {4, LinkSpeed::kNdr}},
                        Case{0, 0, 0, 0, {0, LinkSpeed::kUnknown}}}) {
    TwoLevels subnet;
    ib_port_info_t& info = subnet.leaf_port(1).port_info;
    info.link_width_active = c.width;
    info.link_speed = static_cast<std::uint8_t>(c.speed << 4);
    info.link_speed_ext = static_cast<std::uint8_t>(c.extended << 4);
    subnet.leaf_port(1).ext_port_info.link_speed_active = c.mellanox;
    const Fabric fabric = subnet.snapshot();
    EXPECT_EQ(fabric.rate(leaf_of(fabric), PortNum{1}), c.rate) << c.rate.text();
  }
}

// ---- sweep after sweep ----

bool operator==(const Fabric& a, const Fabric& b) {
  if (!have_same_endports(a, b) || a.num_channels() != b.num_channels()) return false;
  if (a.num_switch_links() != b.num_switch_links() || a.top_lid() != b.top_lid()) return false;
  for (const SwitchId s : a.switches()) {
    if (a.at(s).lid != b.at(s).lid || a.at(s).description != b.at(s).description) return false;
    for (const PortNum p : a.ports(s))
      if (a.peer(s, p) != b.peer(s, p) || a.rate(s, p) != b.rate(s, p)) return false;
  }
  return true;
}

TEST(Snapshots, AreTheVerySameWhereNothingHasChanged) {
  TwoLevels subnet;
  Snapshots snapshots;
  const auto first = snapshots.take(subnet.osm()).value();
  EXPECT_EQ(snapshots.take(subnet.osm()).value(), first);
  HandBuiltSubnet::port(*subnet.leaf.p_node, 1).p_remote_physp = nullptr;
  EXPECT_NE(snapshots.take(subnet.osm()).value(), first);
}

// LIDs with room for an LMC have been assigned, and no port has answered yet.
struct Answers : TwoLevels {
  std::vector<osm_port_t*> ports{&port_by_guid(0x10), &port_by_guid(0x20), &port_by_guid(0x31), &port_by_guid(0x41)};
  std::uint8_t lmc = 0;
  Answers() {
    std::uint16_t lid = 0;
    for (osm_port_t* port : ports) {
      port->p_physp->port_info.base_lid = 0;
      osm().subn.port_lid_tbl.p_ptr_array[lid += 8] = port;
      port->lid = cl_hton16(lid);
    }
  }
  void answer() {
    for (std::size_t i = 0; i < ports.size(); ++i) {
      ports[i]->p_physp->port_info.base_lid = ports[i]->lid;
      ib_port_info_set_lmc(&ports[i]->p_physp->port_info, i < 2 ? 0 : lmc);
    }
  }
};

TEST(Snapshots, OfLidsThatAreAssignedStayWherePortsTakeThem) {
  for (const std::uint8_t lmc : {std::uint8_t{0}, std::uint8_t{2}}) {
    Answers subnet;
    subnet.lmc = subnet.osm().subn.opt.lmc = lmc;
    EXPECT_EQ(subnet.snapshot().at(EndportId{0}).lid, kNoLid);
    Snapshots snapshots;
    const auto early = snapshots.take(subnet.osm(), LidsRead::kAssigned).value();
    EXPECT_EQ(early->at(early->find_endport(Guid{0x41})).lid, Lid{32});
    subnet.answer();
    EXPECT_EQ(snapshots.take(subnet.osm()).value(), early) << "LMC " << +lmc;
    EXPECT_TRUE(*early == subnet.snapshot());
  }
}

TEST(Snapshots, OfLidsThatAreAssignedGiveWayWhereAPortTakesNone) {
  Answers subnet;
  Snapshots snapshots;
  const auto early = snapshots.take(subnet.osm(), LidsRead::kAssigned).value();
  subnet.answer();
  subnet.port(subnet.host_b, 1).port_info.base_lid = 0;
  const auto now = snapshots.take(subnet.osm()).value();
  EXPECT_NE(now, early);
  EXPECT_EQ(now->at(now->find_endport(Guid{0x41})).lid, kNoLid);
}

// As a switch with an enhanced port 0 takes it.
TEST(Snapshots, HaveTheLmcThatPort0WillHave) {
  for (const bool is_asked_for : {false, true}) {
    Answers subnet;
    subnet.osm().subn.opt.lmc = 1;
    subnet.osm().subn.opt.lmc_esp0 = is_asked_for ? TRUE : FALSE;
    subnet.spine.switch_info.flags |= 0x08;
    Snapshots snapshots;
    const auto early = snapshots.take(subnet.osm(), LidsRead::kAssigned).value();
    subnet.lmc = 1;
    subnet.answer();
    ib_port_info_set_lmc(&subnet.ports[1]->p_physp->port_info, is_asked_for ? 1 : 0);
    EXPECT_EQ(snapshots.take(subnet.osm()).value(), early) << is_asked_for;
  }
}

TEST(Snapshots, AreThoseOfASweepAlone) {
  TwoLevels subnet;
  Snapshots snapshots;
  osm_node_t& leaf = *subnet.leaf.p_node;
  osm_node_t& spine = *subnet.spine.p_node;
  const auto cut = [](osm_node_t& node, unsigned p) {
    osm_physp_t& port = HandBuiltSubnet::port(node, p);
    if (port.p_remote_physp != nullptr) port.p_remote_physp->p_remote_physp = nullptr;
    port.p_remote_physp = nullptr;
  };
  const std::vector<std::pair<const char*, std::function<void()>>> sweeps{
      {"the first", [] {}},
      {"nothing new", [] {}},
      {"a link lost", [&] { cut(leaf, 1); }},
      {"both lost", [&] { cut(leaf, 2); }},
      {"crossed", [&] { subnet.connect(leaf, 1, spine, 2); }},
      {"put right", [&] { cut(leaf, 1), subnet.connect(leaf, 1, spine, 1), subnet.connect(leaf, 2, spine, 2); }},
      {"down at one end", [&] { subnet.port(spine, 1).port_info.state_info1 = IB_LINK_DOWN; }},
      {"up again", [&] { subnet.port(spine, 1).port_info.state_info1 = IB_LINK_ACTIVE; }},
      {"another rate", [&] { subnet.port(leaf, 2).port_info.link_width_active = IB_LINK_WIDTH_ACTIVE_1X; }},
      {"another rate over there", [&] { subnet.port(spine, 2).port_info.link_width_active = IB_LINK_WIDTH_ACTIVE_1X; }},
      {"a host lost", [&] { cut(leaf, 3); }},
      {"at a spine's port", [&] { cut(leaf, 1), subnet.connect(spine, 1, subnet.host_a, 1); }},
      {"a switch in its place", [&] { cut(spine, 1), subnet.connect(leaf, 1, spine, 1); }},
      {"a new name", [&] { subnet.host_b.print_desc = subnet.leaf.p_node->print_desc; }},
      {"a new switch", [&] { subnet.connect(leaf, 3, *subnet.add_switch(0x15, "new", 2, 5).p_node, 1); }},
      {"another LID", [&] { subnet.port(subnet.host_a, 1).port_info.base_lid = 0; }}};
  for (const auto& [what, happens] : sweeps) {
    happens();
    const auto taken = snapshots.take(subnet.osm());
    ASSERT_TRUE(taken) << what;
    EXPECT_TRUE(**taken == subnet.snapshot()) << what;
  }
}

}  // namespace
}  // namespace espalier
