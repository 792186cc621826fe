// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/packets/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/packets/dragonfly_fabric.h"

namespace espalier::packets::test {
namespace {

TEST(Run, TheSameSeedGivesTheSameRunAndAnotherSeedAnother) {
  Bench bench(2);
  const RunLength length{.warmup = 500, .cycles = 1000};
  const RunResult first = bench.run("olm", "mixed:0.5", 0.6, {}, length, 1234);
  const RunResult again = bench.run("olm", "mixed:0.5", 0.6, {}, length, 1234);
  const RunResult other = bench.run("olm", "mixed:0.5", 0.6, {}, length, 1235);
  EXPECT_EQ(first.packet_hops, again.packet_hops);
  EXPECT_EQ(first.latency.mean, again.latency.mean);
  EXPECT_NE(first.packet_hops, other.packet_hops);
}

TEST(Run, ABurstEndsWhenAllHasArrived) {
  Bench bench(2);
  for (const char* policy : {"min", "pb", "rlm"}) {
    const RunResult result = bench.run(policy, "burst:20:0.5", 0, {}, {.cycles = 1'000'000});
    EXPECT_TRUE(result.finished) << policy;
    EXPECT_EQ(result.delivered, 20U * bench.network.num_nodes()) << policy;
    EXPECT_GT(result.cycles, 20U * 8U) << policy;
  }
}

// In one cycle several units may begin on a link, each of 8 phits.
TEST(Run, NoLinkIsUsedMoreThanAllOfTheTime) {
  Bench bench(2);
  for (std::uint32_t warmup = 300; warmup < 316; ++warmup) {
    const RunResult result = bench.run("min", "un", 1, {}, {.warmup = warmup, .cycles = 1}, 1);
    for (const double share : result.utilization) EXPECT_LE(share, 1);
  }
}

// Half a dozen samples by hand: mean 3.5, deviation sqrt(3.5), quantile 2.571 of 5 degrees of freedom.
TEST(Estimate, IntervalIsStudents) {
  const std::vector<double> samples = {1, 2, 3, 4, 5, 6};
  EXPECT_DOUBLE_EQ(estimate(samples).mean, 3.5);
  EXPECT_NEAR(estimate(samples).half_width, 2.571 * std::sqrt(3.5 / 6), 1e-9);
  EXPECT_EQ(estimate(std::vector<double>{7}).half_width, 0);
}

TEST(Histogram, QuantilesAreOfThePackets) {
  LatencyHistogram histogram;
  for (std::uint32_t i = 1; i <= 100; ++i) histogram.add(i);
  EXPECT_EQ(histogram.quantile(0.5), 50U);
  EXPECT_EQ(histogram.quantile(0.99), 99U);
  EXPECT_EQ(LatencyHistogram().quantile(0.5), 0U);
}

}  // namespace
}  // namespace espalier::packets::test
