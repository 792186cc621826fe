// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Deadlock told from starvation. Bursts of local and global adversarial traffic under wormhole have to drain.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/fabric/fabric_builder.h"
#include "core/packets/traffic/flows.h"
#include "core/packets/traffic/sources.h"
#include "tests/packets/dragonfly_fabric.h"

namespace espalier::packets::test {
namespace {

Parameters wormhole() {
  Parameters parameters;
  parameters.switching = Switching::kWormhole;
  parameters.packet_phits = 80;
  return parameters;
}

constexpr RunLength kLong{.cycles = 1'000'000};

// Four switches in a ring, a node at each; all packets go clockwise to the node opposite, on one virtual channel.
TEST(Deadlock, OfARingIsFound) {
  FabricBuilder builder;
  std::vector<FabricBuilder::SwitchHandle> ring;
  for (unsigned i = 0; i < 4; ++i) {
    ring.push_back(builder.add_switch({.guid = Guid{0x100 + i}, .description = "switch", .num_ports = 3}));
    const Guid guid{0x200 + i};
    builder.connect(ring[i], PortNum{1},
                    builder.add_endport({.node_guid = guid, .port_guid = guid, .description = "node"}));
  }
  for (unsigned i = 0; i < 4; ++i) builder.connect(ring[i], PortNum{2}, ring[(i + 1) % 4], PortNum{3});
  ASSERT_TRUE(builder.assign_lids(0, FabricBuilder::Numbering::kRenumber).has_value());
  const Fabric fabric = *std::move(builder).build();
  const Network network = make_network(fabric);
  ForwardingTables tables(fabric.num_switches(), fabric.top_lid());
  PolicyInputs inputs;
  const Parameters parameters;
  inputs.network = &network;
  inputs.parameters = &parameters;
  inputs.tables = &tables;
  auto flows = std::make_shared<Flows>(network.num_nodes());
  for (Node n = 0; n < 4; ++n) {
    const Lid lid = fabric.at(network.endport[n]).lid;
    inputs.lids.push_back(lid);
    flows->add(n, (n + 2) % 4);
    for (const SwitchId s : fabric.switches())
      tables.set(s, lid, index(s) == network.router_of(n) ? PortNum{1} : PortNum{2});
  }
  const auto policy = *make_policy("tables", inputs);
  Burst burst(flows, network.num_nodes(), 100);
  Simulator simulator(network, parameters, *policy, burst, 1);
  const RunResult result = run(simulator, kLong, burst.total());
  EXPECT_TRUE(result.deadlock);
  EXPECT_FALSE(result.finished);
}

TEST(Deadlock, RlmDrainsUnderWormhole) {
  Bench bench(3);
  for (std::uint64_t seed = 1001; seed <= 1005; ++seed) {
    const RunResult result = bench.run("rlm", "burst:20:0.5", 0, wormhole(), kLong, seed);
    EXPECT_TRUE(result.finished && !result.deadlock) << "seed " << seed;
  }
}

TEST(Deadlock, OlmDrainsUnderCutThrough) {
  Bench bench(2);
  for (std::uint64_t seed = 1001; seed <= 1020; ++seed) {
    const RunResult result = bench.run("olm", "burst:50:0.5", 0, {}, kLong, seed);
    EXPECT_TRUE(result.finished && !result.deadlock) << "seed " << seed;
  }
}

TEST(Deadlock, SaturationIsNone) {
  Bench bench(2);
  for (const char* policy : {"min", "valiant", "pb", "ugal-l", "ugal-g", "par", "par-6/2", "rlm", "olm"})
    EXPECT_FALSE(bench.run(policy, "advg:2", 1.0, {}, {.warmup = 4000, .cycles = 8000}).deadlock) << policy;
}

TEST(Deadlock, OlmIsRefusedUnderWormhole) {
  Bench bench(2);
  const Parameters parameters = wormhole();
  PolicyInputs inputs;
  inputs.network = &bench.network;
  inputs.dragonfly = &bench.dragonfly;
  inputs.parameters = &parameters;
  EXPECT_FALSE(make_policy("olm", inputs).has_value());
  EXPECT_FALSE(make_policy("nobody", inputs).has_value());
  EXPECT_FALSE(make_policy("tables", inputs).has_value());
}

}  // namespace
}  // namespace espalier::packets::test
