// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/fabric/fabric_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Switch some_switch(std::uint64_t guid, std::uint8_t ports) {
  Switch s;
  s.guid = Guid{guid};
  s.description = "switch " + std::to_string(guid);
  s.num_ports = ports;
  return s;
}

Endport some_endport(std::uint64_t guid) {
  Endport e;
  e.node_guid = Guid{guid};
  e.port_guid = Guid{guid + 1};
  e.description = "host " + std::to_string(guid);
  return e;
}

std::string error_of(FabricBuilder builder) {
  const Result<Fabric> fabric = std::move(builder).build();
  return fabric ? "no error" : fabric.error().message;
}

// Adds everything that `fabric` holds in a random order.
Fabric rebuilt_in_random_order(const Fabric& fabric, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  FabricBuilder builder;
  std::vector<SwitchId> switches;
  std::vector<EndportId> endports;
  std::vector<ChannelId> links;
  for (const SwitchId s : fabric.switches()) switches.push_back(s);
  for (const EndportId e : fabric.endports()) endports.push_back(e);
  for (const ChannelId c : IdRange<ChannelId>(fabric.num_channels())) {
    const Peer& peer = fabric.peer(c);
    if (peer.is_endport() || (peer.is_switch() && c < fabric.channel(peer.as_switch(), peer.port))) links.push_back(c);
  }
  std::shuffle(switches.begin(), switches.end(), random);
  std::shuffle(endports.begin(), endports.end(), random);
  std::shuffle(links.begin(), links.end(), random);

  IdVector<SwitchId, FabricBuilder::SwitchHandle> switch_handle(fabric.num_switches());
  IdVector<EndportId, FabricBuilder::EndportHandle> endport_handle(fabric.num_endports());
  for (const SwitchId s : switches) switch_handle[s] = builder.add_switch(fabric.at(s));
  for (const EndportId e : endports) endport_handle[e] = builder.add_endport(fabric.at(e));
  for (const ChannelId c : links) {
    const Peer& peer = fabric.peer(c);
    const SwitchId s = fabric.source(c);
    const LinkRate rate = fabric.rate(s, fabric.port(c));
    if (peer.is_endport())
      builder.connect(switch_handle[s], fabric.port(c), endport_handle[peer.as_endport()], rate);
    else if (random() % 2 == 0)
      builder.connect(switch_handle[s], fabric.port(c), switch_handle[peer.as_switch()], peer.port, rate);
    else
      builder.connect(switch_handle[peer.as_switch()], peer.port, switch_handle[s], fabric.port(c), rate);
  }
  return std::move(builder).build().value();
}

TEST(FabricBuilder, gives_the_same_fabric_whatever_the_order_of_discovery) {
  for (const auto& [name, fabric] : test::all_drawn_fabrics())
    for (std::uint64_t seed = 0; seed < 10; ++seed)
      EXPECT_TRUE(test::identical(fabric, rebuilt_in_random_order(fabric, seed))) << name << ", seed " << seed;
}

TEST(FabricBuilder, copies_a_fabric_without_changing_it) {
  for (const auto& [name, fabric] : test::all_drawn_fabrics())
    EXPECT_TRUE(test::identical(fabric, FabricBuilder(fabric).build().value())) << name;
}

TEST(FabricBuilder, numbers_switches_and_channels_by_guid_and_port) {
  FabricBuilder builder;
  const auto high = builder.add_switch(some_switch(20, 3));
  const auto low = builder.add_switch(some_switch(10, 2));
  builder.connect(high, PortNum{3}, low, PortNum{1});
  const Fabric fabric = std::move(builder).build().value();

  EXPECT_EQ(fabric.at(SwitchId{0}).guid, Guid{10});
  EXPECT_EQ(fabric.find_switch(Guid{20}), SwitchId{1});
  EXPECT_EQ(fabric.find_switch(Guid{15}), kNoSwitch);
  // Port 0 has a channel too: three of the first switch, then four of the second.
  EXPECT_EQ(fabric.num_channels(), 7U);
  EXPECT_EQ(fabric.channel(SwitchId{1}, PortNum{3}), ChannelId{6});
  EXPECT_EQ(fabric.source(ChannelId{6}), SwitchId{1});
  EXPECT_EQ(fabric.port(ChannelId{6}), PortNum{3});
  EXPECT_EQ(fabric.peer(ChannelId{6}).as_switch(), SwitchId{0});
  EXPECT_EQ(fabric.peer(SwitchId{0}, PortNum{1}).port, PortNum{3});
  EXPECT_EQ(fabric.num_switch_links(), 1U);
}

TEST(FabricBuilder, accepts_a_fabric_of_nothing) {
  const Fabric fabric = FabricBuilder().build().value();
  EXPECT_EQ(fabric.num_switches(), 0U);
  EXPECT_EQ(fabric.top_lid(), kNoLid);
  EXPECT_EQ(fabric.destination_switch(kNoLid), kNoSwitch);
}

TEST(FabricBuilder, refuses_two_switches_of_one_guid) {
  FabricBuilder builder;
  builder.add_switch(some_switch(7, 2));
  builder.add_switch(some_switch(7, 4));
  EXPECT_THAT(error_of(std::move(builder)), AllOf(HasSubstr("two switches"), HasSubstr("0x0000000000000007")));
}

TEST(FabricBuilder, refuses_one_port_of_an_adapter_twice) {
  FabricBuilder builder;
  builder.add_endport(some_endport(7));
  builder.add_endport(some_endport(7));
  EXPECT_THAT(error_of(std::move(builder)), HasSubstr("two end ports are port 1 of node 0x0000000000000007"));
}

TEST(FabricBuilder, refuses_a_second_link_in_a_port) {
  FabricBuilder builder;
  const auto s = builder.add_switch(some_switch(7, 2));
  builder.connect(s, PortNum{1}, builder.add_endport(some_endport(100)));
  builder.connect(s, PortNum{1}, builder.add_endport(some_endport(200)));
  EXPECT_THAT(error_of(std::move(builder)), AllOf(HasSubstr("port 1 of"), HasSubstr("two cables")));
}

TEST(FabricBuilder, refuses_a_second_link_in_an_end_port) {
  FabricBuilder builder;
  const auto s = builder.add_switch(some_switch(7, 2));
  const auto e = builder.add_endport(some_endport(100));
  builder.connect(s, PortNum{1}, e);
  builder.connect(s, PortNum{2}, e);
  EXPECT_THAT(error_of(std::move(builder)), AllOf(HasSubstr("host 100"), HasSubstr("two cables")));
}

TEST(FabricBuilder, refuses_a_link_from_a_port_to_itself) {
  FabricBuilder builder;
  const auto s = builder.add_switch(some_switch(7, 2));
  builder.connect(s, PortNum{1}, s, PortNum{1});
  EXPECT_THAT(error_of(std::move(builder)), HasSubstr("two cables"));
}

TEST(FabricBuilder, refuses_ports_that_the_switch_does_not_have) {
  for (const PortNum port : {PortNum{0}, PortNum{3}, PortNum{255}}) {
    FabricBuilder builder;
    const auto s = builder.add_switch(some_switch(7, 2));
    builder.connect(s, port, builder.add_endport(some_endport(100)));
    EXPECT_THAT(error_of(std::move(builder)), HasSubstr("which has only ports 1 to 2")) << index(port);
  }
}

TEST(FabricBuilder, refuses_lids_that_overlap_and_names_both_owners) {
  FabricBuilder builder;
  const auto s = builder.add_switch(some_switch(7, 2));
  const auto e = builder.add_endport(some_endport(100));
  builder.at(s).lid = Lid{5};
  builder.at(e).lid = Lid{4};
  builder.at(e).lmc = 1;
  EXPECT_THAT(error_of(std::move(builder)), AllOf(HasSubstr("LID 5"), HasSubstr("switch 7"), HasSubstr("host 100")));
}

TEST(FabricBuilder, refuses_lids_off_their_alignment_or_outside_unicast) {
  const auto refused = [](std::uint16_t lid, std::uint8_t lmc) {
    FabricBuilder builder;
    const auto e = builder.add_endport(some_endport(100));
    builder.at(e).lid = Lid{lid};
    builder.at(e).lmc = lmc;
    return error_of(std::move(builder));
  };
  EXPECT_EQ(refused(0xBFFF, 0), "no error");
  EXPECT_EQ(refused(0xBFF8, 3), "no error");
  EXPECT_THAT(refused(6, 2), HasSubstr("not a unicast range"));
  EXPECT_THAT(refused(0xC000, 0), HasSubstr("not a unicast range"));
  EXPECT_THAT(refused(0x100, 8), HasSubstr("not a unicast range"));
  EXPECT_THAT(refused(0x100, 255), HasSubstr("not a unicast range"));
  EXPECT_THAT(refused(0, 255), HasSubstr("not a unicast range"));
}

TEST(FabricBuilder, assigns_aligned_lids_switches_first) {
  const Fabric fabric = test::draw("L0:2 L1:1 L0-L1", 2);
  EXPECT_EQ(fabric.at(SwitchId{0}).lid, Lid{1});
  EXPECT_EQ(fabric.at(SwitchId{1}).lid, Lid{2});
  EXPECT_EQ(fabric.at(EndportId{0}).lid, Lid{4});
  EXPECT_EQ(fabric.at(EndportId{2}).lid, Lid{12});
  EXPECT_EQ(fabric.top_lid(), Lid{15});
  EXPECT_EQ(fabric.owner(Lid{14}).offset, 2);
  EXPECT_EQ(fabric.destination_switch(Lid{14}), SwitchId{1});
  EXPECT_EQ(fabric.owner(Lid{3}).kind, LidOwner::Kind::kNone);
}

TEST(FabricBuilder, keeps_lids_that_are_complete_unless_told_otherwise) {
  Fabric fabric = test::two_level_tree();
  FabricBuilder moved(fabric);
  moved.at(FabricBuilder::SwitchHandle{0}).lid = Lid{1000};
  ASSERT_TRUE(moved.assign_lids(0, FabricBuilder::Numbering::kKeepComplete));
  EXPECT_EQ(moved.at(FabricBuilder::SwitchHandle{0}).lid, Lid{1000});
  ASSERT_TRUE(moved.assign_lids(0, FabricBuilder::Numbering::kRenumber));
  EXPECT_EQ(moved.at(FabricBuilder::SwitchHandle{0}).lid, Lid{1});
}

TEST(FabricBuilder, says_when_the_lids_run_out) {
  FabricBuilder builder;
  for (std::uint64_t i = 0; i < 400; ++i) builder.add_endport(some_endport(16 * i + 16));
  EXPECT_TRUE(builder.assign_lids(6, FabricBuilder::Numbering::kRenumber));
  const Status status = builder.assign_lids(7, FabricBuilder::Numbering::kRenumber);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().text(), AllOf(HasSubstr("49151"), HasSubstr("smaller LMC")));
}

}  // namespace
}  // namespace espalier
