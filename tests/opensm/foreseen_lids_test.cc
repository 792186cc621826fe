// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/subnet/foreseen_lids.h"

#include <gtest/gtest.h>

#include <vector>

#include "plugin/readings.h"
#include "plugin/snapshot.h"
#include "tests/opensm/hand_built_subnet.h"

namespace espalier {
namespace {

using Lids = std::vector<std::uint16_t>;

// Ports are in the order of their GUIDs.
struct Subnet : test::HandBuiltSubnet {
  Subnet() { osm().sm.lid_mgr.p_subn = &osm().subn; }
  osm_switch_t& leaf = add_switch(0x10, "leaf", 3, 0);
  osm_node_t& host_a = add_adapter(0x20, "a", 0);
  osm_node_t& host_b = add_adapter(0x30, "b", 0);
  osm_node_t& host_c = add_adapter(0x40, "c", 0);
  void has(osm_node_t& host, std::uint16_t lid) { port(host, 1).port_info.base_lid = cl_hton16(lid); }
  osm_subn_opt_t& options() { return osm().subn.opt; }
  Lids lids() { return foreseen_lids(osm()); }
};

TEST(ForeseenLids, AreThoseThatPortsHave) {
  Subnet subnet;
  subnet.has(subnet.host_a, 7);
  subnet.has(subnet.host_b, 2);
  subnet.has(subnet.host_c, 1);
  EXPECT_EQ(subnet.lids(), (Lids{3, 7, 2, 1})) << "the switch gets the first one that is free";
}

TEST(ForeseenLids, OfOnePortAlone) {
  Subnet subnet;
  subnet.has(subnet.host_a, 2);
  subnet.has(subnet.host_c, 2);
  EXPECT_EQ(subnet.lids(), (Lids{1, 2, 3, 4}));
}

TEST(ForeseenLids, AreNewInOrderWithTheSubnetManagersOwnFirst) {
  Subnet subnet;
  subnet.has(subnet.host_a, 7);
  subnet.options().reassign_lids = TRUE;
  subnet.osm().subn.sm_port_guid = cl_hton64(0x31);
  EXPECT_EQ(subnet.lids(), (Lids{2, 3, 1, 4}));
}

TEST(ForeseenLids, BeginAtMultiplesWithAnLmc) {
  Subnet subnet;
  subnet.options().lmc = 2;
  subnet.has(subnet.host_a, 7);  // not one of them
  subnet.has(subnet.host_b, 8);
  EXPECT_EQ(subnet.lids(), (Lids{1, 4, 8, 12})) << "port 0 of a plain switch has one LID";
}

// What is taken from them is the fabric of the LIDs that OpenSM assigns then.
TEST(ForeseenLids, MakeTheSnapshotThatFollows) {
  Subnet subnet;
  subnet.connect(*subnet.leaf.p_node, 1, subnet.host_a, 1);
  subnet.connect(*subnet.leaf.p_node, 2, subnet.host_b, 1);
  subnet.connect(*subnet.leaf.p_node, 3, subnet.host_c, 1);
  Snapshots snapshots;
  const auto foreseen = *snapshots.take(subnet.osm(), LidsRead::kForeseen);
  const auto assign = [&](std::uint64_t guid, std::uint16_t lid) {
    subnet.port_by_guid(guid).lid = cl_hton16(lid);
    subnet.osm().subn.port_lid_tbl.p_ptr_array[lid] = &subnet.port_by_guid(guid);
  };
  for (const auto& [guid, lid] : {std::pair(0x10, 1), std::pair(0x21, 2), std::pair(0x31, 3), std::pair(0x41, 4)})
    assign(static_cast<std::uint64_t>(guid), static_cast<std::uint16_t>(lid));
  EXPECT_EQ(*snapshots.take(subnet.osm(), LidsRead::kAssigned), foreseen);
  assign(0x41, 5);
  EXPECT_NE(*snapshots.take(subnet.osm(), LidsRead::kAssigned), foreseen);
}

}  // namespace
}  // namespace espalier
