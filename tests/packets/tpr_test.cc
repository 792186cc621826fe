// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// TPR's counters, with no network at work: a router's packets to one group make its traffic adverse until they are out of
// the window. And traffic that looks benign where it is not.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/packets/policies/policies.h"
#include "core/packets/presets.h"
#include "core/packets/traffic/dragonfly_patterns.h"
#include "core/packets/traffic/sources.h"
#include "core/packets/traffic_classes.h"
#include "tests/packets/dragonfly_fabric.h"
#include "tests/support/fabrics.h"

namespace espalier::packets::test {
namespace {

// So many cycles after 40 packets of a router to another group started at once, one more does: is it sent astray?
bool goes_astray(Bench& bench, std::uint32_t packet_phits, Cycle later) {
  Parameters parameters;
  parameters.packet_phits = packet_phits;
  PolicyInputs inputs;
  inputs.network = &bench.network;
  inputs.dragonfly = &bench.dragonfly;
  inputs.parameters = &parameters;
  const auto policy = *make_policy("tpr", inputs);
  Load load(*make_pattern(*parse_pattern("un"), bench.network, &bench.dragonfly), 0.1, packet_phits);
  State state = Simulator(bench.network, parameters, *policy, load, 1001).state();

  const Router target = bench.dragonfly.router(1, 0);
  Random random(1001);
  const auto start = [&] {
    Packet packet;
    packet.source = 0;
    packet.target = target;
    const Port in = bench.network.node_port[0];
    (void)policy->request(state, {bench.network.ports[in].router, in, 0}, packet, random);
    return packet.misrouted;
  };
  policy->tick(state, {});
  for (int i = 0; i < 40; ++i) (void)start();
  while (state.now < later) {
    ++state.now;
    policy->tick(state, {});
  }
  return start();
}

// h = 50 cycles in which a link can take 50 packets (Faizian 2018, 4.2.1).
TEST(Tpr, LooksBackForTheTimeOfFiftyPackets) {
  Bench bench(2);
  ASSERT_NE(bench.dragonfly.group(bench.network.router_of(0)), 1U);
  for (const std::uint32_t packet_phits : {1U, 2U, 8U}) {
    EXPECT_TRUE(goes_astray(bench, packet_phits, 0)) << packet_phits;
    EXPECT_TRUE(goes_astray(bench, packet_phits, 50 * packet_phits - 1)) << packet_phits;
    EXPECT_FALSE(goes_astray(bench, packet_phits, 50 * packet_phits)) << packet_phits;
  }
}

RunResult result(Bench& bench, const char* policy, const char* traffic, double load, double most_offset = 16) {
  const auto& all = presets();
  const auto preset = std::find_if(all.begin(), all.end(), [](const Preset& p) { return p.name == "faizian"; });
  Parameters parameters = preset->parameters;
  parameters.tpr_most_offset = most_offset;
  return bench.run(policy, traffic, load, parameters, {.warmup = 1500, .cycles = 1500});
}

double throughput(Bench& bench, const char* policy, const char* traffic, double load, double most_offset = 16) {
  return result(bench, policy, traffic, load, most_offset).throughput.mean;
}

// Two groups have one link here, which a tenth of the hosts' rate fills; table 4.6 keeps to it, as a router's own packets
// to that group are few.
TEST(Tpr, LeavesAMinimalPathThatIsFullHoweverBenignTheTrafficLooks) {
  Bench bench(4);
  EXPECT_NEAR(throughput(bench, "ugal-l", "mixed:0.5", 0.1), 0.1, 0.003);
  EXPECT_NEAR(throughput(bench, "tpr", "mixed:0.5", 0.1), 0.1, 0.003);
  EXPECT_LT(throughput(bench, "tpr", "mixed:0.5", 0.1, 1000), 0.08);
}

// In a group of four every other draw of a detour fails.
TEST(Tpr, CountsPacketsThatHadNoDetourToChoose) {
  Bench bench(2);
  EXPECT_NEAR(throughput(bench, "tpr", "advl:1", 0.6), 0.6, 0.02);
}

Node some_node_of(const Bench& bench, std::uint32_t group) {
  for (Node node = 0;; ++node)
    if (bench.dragonfly.group(bench.network.router_of(node)) == group) return node;
}

// Sixteen links to another group: what the nodes of one router send there is nothing for them. All routers of group 0
// send to group 1, and one of group 2.
TEST(Tpr, TakesARouterForAnAdversaryIfItsGroupIsOne) {
  Bench bench(espalier::test::generated("dragonfly", "2,16,4,5;4,4,1,1"));
  ASSERT_EQ(bench.dragonfly.exits(0, 1).size(), 16U);
  std::vector<FlowLoad> flows;
  for (Node node = 0; node < bench.network.num_nodes(); ++node) {
    const Router router = bench.network.router_of(node);
    const std::uint32_t group = bench.dragonfly.group(router);
    if (group == 0 || (group == 2 && bench.dragonfly.member(router) == 3))
      flows.push_back({node, some_node_of(bench, 1), 0.9});
  }
  const std::vector<TrafficClass> classes = classify(bench.network, bench.dragonfly, flows);
  ASSERT_EQ(classes.size(), 17U);
  for (const TrafficClass& c : classes) {
    EXPECT_DOUBLE_EQ(c.load, 1.8);
    EXPECT_EQ(local_class(c.extent, c.impacts.local),
              bench.dragonfly.group(c.router) == 0 ? Impact::kAdversarial : Impact::kBenign);
  }
}

// Half the routers send to the next group, a third of what the links to it carry; 0.28 of it went astray when a router
// knew nothing but itself.
TEST(Tpr, KeepsToMinimalPathsThatFewRoutersUse) {
  Bench bench(espalier::test::generated("dragonfly", "2,16,4,5;4,4,1,1"));
  const RunResult some = result(bench, "tpr", "rlc:0.5:advg:1", 0.3);
  EXPECT_LT(some.misrouted, 0.1);
  EXPECT_NEAR(some.throughput.mean, 0.3, 0.01);
  EXPECT_GT(throughput(bench, "tpr", "advg:1", 0.6), throughput(bench, "ugal-l", "advg:1", 0.6));
}

}  // namespace
}  // namespace espalier::packets::test
