// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Deadlock told from starvation. Bursts of local and global adversarial traffic under wormhole have to drain.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/packets/policies/policies.h"
#include "core/packets/traffic/flows.h"
#include "core/packets/traffic/sources.h"
#include "tests/packets/dragonfly_fabric.h"
#include "tests/packets/ring.h"

namespace espalier::packets::test {
namespace {

Parameters wormhole() {
  Parameters parameters;
  parameters.switching = Switching::kWormhole;
  parameters.packet_phits = 80;
  return parameters;
}

constexpr RunLength kLong{.cycles = 1'000'000};

// All packets go clockwise to the node opposite, on one virtual channel.
TEST(Deadlock, OfARingIsFound) {
  Ring ring;
  auto flows = std::make_shared<Flows>(4);
  for (Node n = 0; n < 4; ++n) flows->add(n, (n + 2) % 4);
  const auto policy = *make_policy("tables", ring.inputs);
  Burst burst(flows, 4, 100);
  Simulator simulator(ring.network, ring.parameters, *policy, burst, 1);
  const RunResult result = run(simulator, kLong, burst.total());
  EXPECT_TRUE(result.deadlock);
  EXPECT_FALSE(result.finished);
}

// To the router h further on in the group: detours i -> k -> i+h and k -> i+h -> k+h make circles of four channels.
// (With ADVL+1 the shortest circle of detours has 4h channels, and hardly ever closes.)
TEST(Deadlock, RlmWithoutItsTableJamsUnderWormhole) {
  Bench bench(4);
  for (std::uint64_t seed = 1001; seed <= 1003; ++seed) {
    const RunResult without = bench.run("rlm-no-table", "burst:60:advl:4", 0, wormhole(), kLong, seed);
    EXPECT_TRUE(without.deadlock && !without.finished) << "seed " << seed;
    const RunResult with = bench.run("rlm", "burst:60:advl:4", 0, wormhole(), kLong, seed);
    EXPECT_TRUE(with.finished && !with.deadlock) << "seed " << seed;
  }
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
