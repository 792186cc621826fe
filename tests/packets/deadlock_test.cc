// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Deadlock told from starvation. Bursts of local and global adversarial traffic under wormhole have to drain.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

TEST(Deadlock, ParitySignIsWhatKeepsRlmFromIt) {
  Bench bench(3);
  for (std::uint64_t seed = 1001; seed <= 1005; ++seed) {
    const RunResult with = bench.run("rlm", "burst:20:0.5", 0, wormhole(), kLong, seed);
    EXPECT_TRUE(with.finished && !with.deadlock) << "seed " << seed;
    const RunResult without = bench.run("rlm-no-table", "burst:20:0.5", 0, wormhole(), kLong, seed);
    EXPECT_TRUE(without.deadlock && !without.finished) << "seed " << seed;
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
