// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/soundness/loop_traffic.h"

#include <gtest/gtest.h>

#include "core/analysis/soundness/dependencies/credit_loop.h"
#include "tests/analysis/fill_tables.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"

namespace espalier::test {
namespace {

std::vector<ChannelId> loop_of(const Fabric& fabric, const ForwardingTables& tables) {
  return find_credit_loop(ChannelDependencies(fabric, tables));
}

PortNum port_to(const Fabric& fabric, SwitchId from, SwitchId to) {
  for (const PortNum p : fabric.ports(from)) {
    const Peer& peer = fabric.peer(from, p);
    if (peer.is_switch() && peer.as_switch() == to) return p;
  }
  return kNoPort;
}

TEST(LoopTraffic, OfHostsOnARingClosesALoop) {
  const Fabric ring = ring_of_five();
  const std::vector<EndportId> hosts = all_endports(ring);
  const ForwardingTables tables = route_shortest(ring);
  const std::vector<ChannelId> loop = loop_of(ring, only_host_traffic(ring, tables, hosts));
  ASSERT_EQ(loop.size(), 5U);
  for (std::size_t i = 0; i < loop.size(); ++i) {
    const ExamplePacket packet = example_packet(ring, tables, hosts, loop[i], loop[(i + 1) % loop.size()]);
    EXPECT_EQ(packet.kind, ExamplePacket::Kind::kHostToHost);
    EXPECT_NE(packet.host, kNoEndport);
  }
}

// Host LIDs up and down, spine LIDs through different leaves: S0 -> L0 -> S1 and S1 -> L1 -> S0.
struct SpineLoop {
  Fabric fabric = draw("L0:2 L1:2 ; L0-S0 L0-S1 L1-S0 L1-S1");
  ForwardingTables tables = route_shortest(fabric);
  std::vector<EndportId> hosts = all_endports(fabric);

  SpineLoop() {
    for (const auto& [from, to, next] : {std::tuple("S0", "S1", "L0"), std::tuple("S1", "S0", "L1")}) {
      const SwitchId s = switch_named(fabric, from);
      tables.set(s, fabric.at(switch_named(fabric, to)).lid, port_to(fabric, s, switch_named(fabric, next)));
    }
    // S0's leaf-to-spine halves: a leaf LID that comes down by the other leaf.
    for (const auto& [from, goal, next] : {std::tuple("S1", "L0", "L1"), std::tuple("S0", "L1", "L0")}) {
      const SwitchId s = switch_named(fabric, from);
      tables.set(s, fabric.at(switch_named(fabric, goal)).lid, port_to(fabric, s, switch_named(fabric, next)));
    }
    const SwitchId l0 = switch_named(fabric, "L0");
    const SwitchId l1 = switch_named(fabric, "L1");
    tables.set(l0, fabric.at(l1).lid, port_to(fabric, l0, switch_named(fabric, "S1")));
    tables.set(l1, fabric.at(l0).lid, port_to(fabric, l1, switch_named(fabric, "S0")));
  }
};

TEST(LoopTraffic, OfSwitchesAloneIsTakenOutWithTheHostsTraffic) {
  const SpineLoop scene;
  const std::vector<ChannelId> loop = loop_of(scene.fabric, scene.tables);
  ASSERT_FALSE(loop.empty());
  EXPECT_TRUE(loop_of(scene.fabric, only_host_traffic(scene.fabric, scene.tables, scene.hosts)).empty());
  bool needs_other_traffic = false;
  for (std::size_t i = 0; i < loop.size(); ++i) {
    const ExamplePacket packet =
        example_packet(scene.fabric, scene.tables, scene.hosts, loop[i], loop[(i + 1) % loop.size()]);
    ASSERT_NE(packet.kind, ExamplePacket::Kind::kNone);
    needs_other_traffic |= packet.kind != ExamplePacket::Kind::kHostToHost;
  }
  EXPECT_TRUE(needs_other_traffic);
}

TEST(LoopTraffic, KeepsNoEntryThatNoHostsPacketMeets) {
  const Fabric fabric = host_on_spine();
  std::vector<EndportId> hosts;
  for (const char* name : {"h0", "h2"}) hosts.push_back(endport_named(fabric, name));
  const ForwardingTables tables = route_shortest(fabric);
  const ForwardingTables kept = only_host_traffic(fabric, tables, hosts);
  std::size_t entries = 0;
  for (const SwitchId s : fabric.switches())
    for (const PortNum port : kept.row(s)) entries += port == kNoPort ? 0U : 1U;
  EXPECT_EQ(entries, 6U);  // two LIDs, three switches on the way and at its end
}

TEST(LoopTraffic, HasNoExampleForADependencyThatIsNone) {
  const Fabric fabric = two_level_tree();
  const SwitchId l0 = switch_named(fabric, "L0");
  const SwitchId s0 = switch_named(fabric, "S0");
  const ChannelId up = fabric.channel(l0, port_to(fabric, l0, s0));
  const ChannelId back = fabric.channel(s0, port_to(fabric, s0, l0));
  EXPECT_EQ(example_packet(fabric, route_shortest(fabric), all_endports(fabric), up, back).kind,
            ExamplePacket::Kind::kNone);
}

}  // namespace
}  // namespace espalier::test
