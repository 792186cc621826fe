// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/packets/network.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/fabric/fabric_builder.h"

namespace espalier::packets::test {
namespace {

// A switch with a host behind each port, cabled at these rates.
Fabric star(const std::vector<std::string>& rates) {
  FabricBuilder builder;
  const auto center = builder.add_switch(
      {.guid = Guid{0x10}, .description = "switch", .num_ports = static_cast<std::uint8_t>(rates.size())});
  for (std::size_t i = 0; i < rates.size(); ++i) {
    const Guid guid{0x100 + i};
    builder.connect(center, id_at<PortNum>(i + 1),
                    builder.add_endport({.node_guid = guid, .port_guid = guid, .description = "node"}),
                    LinkRate::parse(rates[i]).value_or(LinkRate{}));
  }
  EXPECT_TRUE(builder.assign_lids(0, FabricBuilder::Numbering::kRenumber));
  return *std::move(builder).build();
}

TEST(Network, LinksTakeAsManyCyclesForAPhitAsTheFastestIsFasterRoundedUp) {
  const Network network = make_network(star({"4xQDR", "1xQDR", "4xDDR", "1xSDR", "12xSDR", ""}));
  // 40, 10, 20, 2.5, 30 Gbit/s, and one of which nothing is known
  EXPECT_EQ(network.slowness, (std::vector<std::uint16_t>{1, 4, 2, 16, 2, 1}));
}

TEST(Network, LinksOfOneRateTakeACycleEach) {
  EXPECT_EQ(make_network(star({"4xEDR", "4xEDR"})).slowness, (std::vector<std::uint16_t>{1, 1}));
  EXPECT_EQ(make_network(star({"", ""})).slowness, (std::vector<std::uint16_t>{1, 1}));
}

}  // namespace
}  // namespace espalier::packets::test
