// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Credits by packet and by phit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/packets/policies/policies.h"
#include "core/packets/traffic/dragonfly_patterns.h"
#include "core/packets/traffic/sources.h"
#include "tests/packets/dragonfly_fabric.h"

namespace espalier::packets::test {
namespace {

double local_throughput(Credits credits, std::uint32_t local_buffer) {
  Bench bench(2);
  Parameters parameters;
  parameters.credits = credits;
  parameters.local_buffer = local_buffer;
  return bench.run("min", "advl:1", 1, parameters, {.warmup = 1000, .cycles = 8000}).throughput.mean;
}

// A packet's path there, its length, and the path of its credit: 28 cycles for 8 phits on the link that two nodes share.
TEST(Credits, OfABufferForOnePacketComeWithItsTail) {
  for (const Credits credits : {Credits::kByUnit, Credits::kByPhit})
    EXPECT_NEAR(local_throughput(credits, 8), 8.0 / 28 / 2, 0.002);
}

// In a buffer of a packet and a half the next has room when half of the one before has left, 4 cycles earlier.
TEST(Credits, ByPhitUsePartsOfPackets) {
  EXPECT_NEAR(local_throughput(Credits::kByUnit, 12), 8.0 / 28 / 2, 0.002);
  EXPECT_NEAR(local_throughput(Credits::kByPhit, 12), 8.0 / 24 / 2, 0.002);
}

// All come back, whatever the policy, the switching and whose fill is compared.
TEST(Credits, AreAllThereWhenAllHasArrived) {
  for (const char* name : {"min", "crt", "par-6/2", "rlm"})
    for (const Credits credits : {Credits::kByUnit, Credits::kByPhit})
      for (const Switching switching : {Switching::kVirtualCutThrough, Switching::kWormhole})
        for (const Occupancy occupancy : {Occupancy::kVc, Occupancy::kPort}) {
          Bench bench(2);
          for (PortEnd& port : bench.network.ports) port.latency = port.kind == PortClass::kGlobal ? 100 : 10;
          Parameters parameters;
          parameters.credits = credits;
          parameters.switching = switching;
          parameters.occupancy = occupancy;
          if (switching == Switching::kWormhole) parameters.packet_phits = 80;
          PolicyInputs inputs;
          inputs.network = &bench.network;
          inputs.dragonfly = &bench.dragonfly;
          inputs.parameters = &parameters;
          const auto policy = *make_policy(name, inputs);
          Burst burst(*make_pattern(*parse_pattern("mixed:0.5"), bench.network, &bench.dragonfly), 72, 10);
          Simulator simulator(bench.network, parameters, *policy, burst, 1);
          const RunResult result = run(simulator, {.cycles = 100'000}, burst.total());
          ASSERT_TRUE(result.finished && !result.deadlock) << name;
          simulator.advance(2000);
          const State& state = simulator.state();
          for (Port p = 0; p < bench.network.num_ports(); ++p) {
            EXPECT_EQ(state.used[p], 0U) << name;
            const std::uint32_t vcs = bench.network.ports[p].kind == PortClass::kGlobal ? 2 : 3;
            for (std::uint32_t vc = 0; state.capacity[p] > 0 && vc < vcs; ++vc)
              EXPECT_EQ(state.credits[state.queue(p, vc)], state.capacity[p]) << name;
          }
        }
}

// A queue that drains is seen to drain phit by phit, so that comparisons of fills differ, but not by much.
TEST(Credits, ByPhitChangeAdaptiveThroughputLittle) {
  Bench bench(3);
  Parameters by_phit;
  by_phit.credits = Credits::kByPhit;
  const RunLength length{.warmup = 2000, .cycles = 2000};
  for (const char* policy : {"olm", "pb"}) {
    const double packet = bench.run(policy, "advg:1", 0.4, {}, length).throughput.mean;
    const double phit = bench.run(policy, "advg:1", 0.4, by_phit, length).throughput.mean;
    EXPECT_NE(packet, phit) << policy;
    EXPECT_NEAR(packet, phit, 0.1 * packet) << policy;
  }
}

}  // namespace
}  // namespace espalier::packets::test
