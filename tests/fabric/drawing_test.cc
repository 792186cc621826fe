// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "tests/support/drawing.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/support/fabrics.h"

namespace espalier::test {
namespace {

TEST(Drawing, takes_ports_in_the_order_of_the_words) {
  const Fabric fabric = draw("B:1 A:2 ; A-B A-B");
  EXPECT_EQ(fabric.at(SwitchId{0}).description, "B");
  EXPECT_EQ(fabric.at(SwitchId{1}).num_ports, 4);
  EXPECT_EQ(fabric.at(endport_named(fabric, "h2")).leaf_port, PortNum{2});
  EXPECT_EQ(fabric.peer(SwitchId{1}, PortNum{4}).port, PortNum{3});
  EXPECT_EQ(fabric.num_switch_links(), 2U);
}

TEST(Drawing, puts_an_aggregation_node_on_the_last_port) {
  const Fabric fabric = draw("L:an L:2 L-S");
  ASSERT_EQ(fabric.at(SwitchId{0}).num_ports, 4);
  ASSERT_TRUE(fabric.peer(SwitchId{0}, PortNum{4}).is_endport());
  EXPECT_EQ(fabric.at(fabric.peer(SwitchId{0}, PortNum{4}).as_endport()).description,
            "Mellanox Technologies Aggregation Node");
}

TEST(Drawing, knows_adapters_with_two_ports_routers_and_loose_hosts) {
  const Fabric fabric = draw("A=B A:router -:1");
  ASSERT_EQ(fabric.num_endports(), 4U);
  EXPECT_EQ(fabric.at(EndportId{0}).node_guid, fabric.at(EndportId{1}).node_guid);
  EXPECT_EQ(fabric.at(EndportId{1}).leaf, switch_named(fabric, "B"));
  EXPECT_EQ(fabric.at(EndportId{2}).kind, EndportKind::kRouter);
  EXPECT_EQ(fabric.at(EndportId{3}).leaf, kNoSwitch);
}

TEST(Drawing, throws_at_a_word_it_does_not_know) {
  for (const char* text : {"A:", "A:x", "A-", "A:2x", "A="})
    EXPECT_THROW((void)draw(text), std::invalid_argument) << text;
  EXPECT_THROW((void)switch_named(two_level_tree(), "nobody"), std::invalid_argument);
}

TEST(Drawing, of_each_fabric_has_lids_for_everybody) {
  for (const auto& [name, fabric] : all_drawn_fabrics()) {
    for (const SwitchId s : fabric.switches()) EXPECT_NE(fabric.at(s).lid, kNoLid) << name;
    for (const EndportId e : fabric.endports()) EXPECT_NE(fabric.at(e).lid, kNoLid) << name;
    EXPECT_EQ(index(fabric.top_lid()), fabric.num_switches() + fabric.num_endports()) << name;
  }
}

TEST(Drawing, renumbers_under_another_lmc) {
  const Fabric fabric = with_lmc(two_level_tree(), 3);
  EXPECT_EQ(fabric.at(EndportId{0}).lmc, 3);
  EXPECT_FALSE(identical(fabric, two_level_tree()));
  EXPECT_TRUE(identical(with_lmc(fabric, 0), two_level_tree()));
}

}  // namespace
}  // namespace espalier::test
