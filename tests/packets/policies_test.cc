// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Saturation throughputs that follow from counting links: phits for each node and cycle.
#include "core/packets/policies/policies.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/packets/dragonfly_fabric.h"

namespace espalier::packets::test {
namespace {

using testing::AllOf;
using testing::Ge;
using testing::Le;

MATCHER_P2(IsWithin, share, value, "") { return std::abs(arg - value) <= share * value; }

// 2h^2 nodes of a group share one global link.
TEST(Minimal, UnderAdversarialGlobalTrafficGetsOneGlobalLinkForAGroup) {
  Bench bench(4);
  const RunResult result = bench.run("min", "advg:1", 0.5, {}, {.warmup = 10000, .cycles = 10000});
  EXPECT_THAT(result.throughput.mean, IsWithin(0.02, 1.0 / 32));
  EXPECT_FALSE(result.steady);
  EXPECT_FALSE(result.deadlock);
}

// h nodes of a router share one local link.
TEST(Minimal, UnderAdversarialLocalTrafficGetsOneLocalLinkForARouter) {
  Bench bench(4);
  const RunResult result = bench.run("min", "advl:1", 1.0, {}, {.warmup = 2000, .cycles = 4000});
  EXPECT_THAT(result.throughput.mean, IsWithin(0.02, 1.0 / 4));
}

// The local link of the group between that all of ADVG+h needs; 0.1937 for h = 4, with the source group's leg.
TEST(Valiant, UnderAdversarialTrafficOfHGroupsAheadIsHeldUpByLocalLinks) {
  Bench bench(4);
  const RunResult result = bench.run("valiant", "advg:4", 0.5, {}, {.warmup = 4000, .cycles = 8000});
  EXPECT_THAT(result.throughput.mean, AllOf(Ge(0.95 * 0.1937), Le(0.1937)));
}

TEST(AllPolicies, DeliverWhatIsOfferedAtLowLoad) {
  Bench bench(2);
  for (const PolicyEntry& entry : policies()) {
    if (entry.needs != Needs::kDragonfly && entry.needs != Needs::kCompleteGroups) continue;
    for (const char* traffic : {"un", "advg:1", "advl:1"}) {
      const RunResult result = bench.run(std::string(entry.name), traffic, 0.05, {}, {.warmup = 2000, .cycles = 20000});
      EXPECT_THAT(result.throughput.mean, IsWithin(0.05, 0.05)) << entry.name << " " << traffic;
      EXPECT_TRUE(result.steady) << entry.name << " " << traffic;
    }
  }
}

// A run, and what tells it from others.
struct Trial {
  Bench& bench;
  Parameters parameters;
  const char* traffic;
  double load;

  [[nodiscard]] std::string trace(const std::string& policy, void (*change)(Parameters&)) const {
    Parameters changed = parameters;
    if (change != nullptr) change(changed);
    const RunResult result = bench.run(policy, traffic, load, changed, {.warmup = 500, .cycles = 1000});
    return fmt::format("{} {} {}", result.packet_hops, result.latency.mean, result.misrouted);
  }
};

// `espalier simulate` refuses parameters that a policy does not go by.
TEST(AllPolicies, GoByTheParametersThatTheListSaysAndByNoOther) {
  const std::vector<std::pair<PolicyOption, void (*)(Parameters&)>> changes = {
      {PolicyOption::kThreshold, [](Parameters& p) { p.threshold = 0.9; }},
      {PolicyOption::kOccupancy, [](Parameters& p) { p.occupancy = Occupancy::kPort; }},
      {PolicyOption::kDiverts, [](Parameters& p) { p.diverts = Diverts::kWhenFull; }},
      {PolicyOption::kGlobalMisroute, [](Parameters& p) { p.global_misroute = GlobalMisroute::kNeighbor; }},
      {PolicyOption::kSpreadVcs, [](Parameters& p) { p.spread_vcs = true; }},
      {PolicyOption::kValiant, [](Parameters& p) { p.valiant = ValiantLevel::kRouter; }},
      {PolicyOption::kMeasure, [](Parameters& p) { p.measure = QueueMeasure::kPhits; }},
      {PolicyOption::kWeight, [](Parameters& p) { p.weight = PathWeight::kHops; }},
      {PolicyOption::kUgalOffset, [](Parameters& p) { p.ugal_offset = 40; }},
      {PolicyOption::kPiggybackPeriod, [](Parameters& p) { p.piggyback_period = 500; }},
      {PolicyOption::kPiggybackOffset, [](Parameters& p) { p.piggyback_offset = 90; }},
      {PolicyOption::kTprLimit, [](Parameters& p) { p.tpr_limit = 90; }},
      {PolicyOption::kTprMostOffset, [](Parameters& p) { p.tpr_most_offset = 1000; }},
      {PolicyOption::kContentionLimit, [](Parameters& p) { p.contention_limit = 1; }}};
  Bench small(2), large(3);
  Parameters deep;  // queues hold more than the offsets of TPR
  deep.local_buffer = 600;
  deep.measure = QueueMeasure::kPhits;
  deep.tpr_most_offset = 1000;
  const std::vector<Trial> trials = {
      {small, {}, "mixed:0.5", 0.6}, {large, {}, "mixed:0.5", 0.6}, {large, deep, "mixed:0.3", 0.3}};
  for (const PolicyEntry& entry : policies()) {
    if (entry.needs != Needs::kDragonfly && entry.needs != Needs::kCompleteGroups) continue;
    const std::string name(entry.name);
    for (const auto& [option, change] : changes) {
      const bool listed = std::find(entry.options.begin(), entry.options.end(), option) != entry.options.end();
      bool differs = false;
      for (std::size_t i = 0; i < (listed ? trials.size() : 1) && !differs; ++i)
        differs = trials[i].trace(name, change) != trials[i].trace(name, nullptr);
      EXPECT_EQ(differs, listed) << name << " and option " << static_cast<int>(option);
    }
  }
}

// Without other traffic a packet takes the minimal path: three links, and its own length.
TEST(Minimal, LatencyWithoutLoadIsThatOfItsLinks) {
  Bench bench(2);
  Parameters parameters;
  const RunResult result = bench.run("min", "advg:1", 0.001, parameters, {.warmup = 2000, .cycles = 200000});
  // ADVG+1 of h = 2: hops 1 to 3, one of them global; 8 phits, and a cycle to the node.
  const double local_hops = result.hops.mean - 1;
  EXPECT_NEAR(result.latency.mean, 100 + 10 * local_hops + 8 + 1, 1.5);
}

// It sees what waits in front of the one global link, which queues behind links do not show.
TEST(UgalGlobal, CarriesMoreAdversarialTrafficThanUgalLocal) {
  Bench bench(3);
  const RunLength length{.warmup = 3000, .cycles = 2000};
  EXPECT_GT(bench.run("ugal-g", "advg:1", 0.4, {}, length, 1001).throughput.mean,
            1.1 * bench.run("ugal-l", "advg:1", 0.4, {}, length, 1001).throughput.mean);
}

// On other channels of the same links go packets that do not wait for the one global link: they make Valiant's path look
// longer than it is.
TEST(UgalGlobal, CarriesMoreAdversarialTrafficByItsChannelsThanByPorts) {
  Bench bench(3);
  const RunLength length{.warmup = 3000, .cycles = 2000};
  Parameters by_port;
  by_port.occupancy = Occupancy::kPort;
  for (const std::uint64_t seed : {1001U, 1002U})
    EXPECT_GT(bench.run("ugal-g", "advg:1", 0.4, {}, length, seed).throughput.mean,
              1.1 * bench.run("ugal-g", "advg:1", 0.4, by_port, length, seed).throughput.mean);
}

// Routers of the source group feel the congestion of the one global link earlier than by full queues.
TEST(CreditRoundTrip, LowersLatencyUnderAdversarialTrafficAgainstLocalQueues) {
  Bench bench(3);
  const RunLength length{.warmup = 4000, .cycles = 6000};
  for (const std::uint64_t seed : {1001U, 1002U}) {
    const RunResult local = bench.run("ugal-l", "advg:1", 0.25, {}, length, seed);
    const RunResult crt = bench.run("crt", "advg:1", 0.25, {}, length, seed);
    EXPECT_LT(crt.latency.mean, local.latency.mean) << "seed " << seed;
    EXPECT_NEAR(crt.throughput.mean, 0.25, 0.01) << "seed " << seed;
  }
}

TEST(InTransit, CarriesMoreAdversarialTrafficThanMinimal) {
  Bench bench(3);
  const RunLength length{.warmup = 3000, .cycles = 3000};
  const double minimal = bench.run("min", "advg:3", 0.5, {}, length).throughput.mean;
  for (const char* policy : {"par-6/2", "rlm", "olm"})
    EXPECT_GT(bench.run(policy, "advg:3", 0.5, {}, length).throughput.mean, 3 * minimal) << policy;
}

// A detour by another router of the group, in place of the one local link that all nodes of a router share.
TEST(InTransit, CarriesMoreAdversarialLocalTrafficThanMinimal) {
  Bench bench(3);
  const RunLength length{.warmup = 2000, .cycles = 3000};
  const double minimal = bench.run("min", "advl:1", 0.8, {}, length).throughput.mean;
  for (const char* policy : {"par-6/2", "rlm", "olm"}) {
    const RunResult result = bench.run(policy, "advl:1", 0.8, {}, length);
    EXPECT_GT(result.throughput.mean, 1.3 * minimal) << policy;
    EXPECT_GT(result.misrouted, 0.2) << policy;
  }
}

// Queues that are full of what started here hold up those that have come far.
TEST(Router, CarriesMoreUniformTrafficWithTransitFirst) {
  Bench bench(3);
  Parameters parameters;
  const RunLength length{.warmup = 2000, .cycles = 2000};
  const double any = bench.run("min", "un", 1, parameters, length).throughput.mean;
  parameters.transit_first = true;
  EXPECT_GT(bench.run("min", "un", 1, parameters, length).throughput.mean, 1.05 * any);
}

TEST(InTransit, DivertsLessWhereOnlyFullOutputsAreReason) {
  Bench bench(3);
  Parameters parameters;
  const RunLength length{.warmup = 2000, .cycles = 2000};
  const double busy = bench.run("olm", "un", 0.5, parameters, length).misrouted;
  parameters.diverts = Diverts::kWhenFull;
  EXPECT_LT(bench.run("olm", "un", 0.5, parameters, length).misrouted, 0.5 * busy);
}

}  // namespace
}  // namespace espalier::packets::test
