// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Paths with weights, and those of UGAL written down and given back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/packets/policies/policies.h"
#include "core/packets/traffic/dragonfly_patterns.h"
#include "core/packets/traffic/flows.h"
#include "core/packets/traffic/sources.h"
#include "tests/packets/dragonfly_fabric.h"
#include "tests/packets/ring.h"

namespace espalier::packets::test {
namespace {

RunResult run_flows(const std::string& policy, const PolicyInputs& inputs, std::shared_ptr<const Pattern> pattern,
                    double load) {
  const auto chosen = *make_policy(policy, inputs);
  Load source(std::move(pattern), load, inputs.parameters->packet_phits);
  Simulator simulator(*inputs.network, *inputs.parameters, *chosen, source, 1001);
  return run(simulator, {.warmup = 4000, .cycles = 8000}, 0);
}

TEST(SourcePaths, AreTakenByTheirWeights) {
  Ring ring;
  SourcePaths paths(ring.network);
  paths.add(0, 2, 3, std::vector<Router>{1, 2});
  paths.add(0, 2, 1, std::vector<Router>{3, 2});
  Random random(1001);
  std::uint32_t first = 0;
  for (int i = 0; i < 4000; ++i) first += paths.choose(0, 2, random) == 0 ? 1 : 0;
  EXPECT_NEAR(first, 3000, 150);
  EXPECT_EQ(ring.network.ports[paths.port(1, 0)].neighbor, 3U);
  EXPECT_EQ(paths.choose(2, 0, random), kNone);
}

// Both ways round a ring carry twice what one carries; flows without a path are dropped.
TEST(SourcePaths, CarryWhatTheirLinksCan) {
  Ring ring;
  auto flows = std::make_shared<Flows>(4);
  flows->add(0, 1);
  flows->add(3, 1);
  flows->add(2, 1);
  SourcePaths paths(ring.network);
  paths.add(0, 1, 1, std::vector<Router>{1});
  paths.add(3, 1, 1, std::vector<Router>{0, 1});
  ring.inputs.paths = &paths;
  const RunResult result = run_flows("paths", ring.inputs, flows, 0.4);
  EXPECT_NEAR(result.throughput.mean, 2 * 0.4 / 4, 0.02);
  EXPECT_GT(result.undelivered, 0U);
}

// SDN-ugal (Faizian 2018, 5.2.2): as UGAL splits flows, so they go without looking at queues.
TEST(SourcePaths, OfUgalCarryMoreThanMinimalOnesAndChangeNothingWhileTheyAreCounted) {
  Bench bench(2);
  const double plain = bench.run("ugal-l", "advg:1", 0.3, {}, {.warmup = 4000, .cycles = 8000}, 1001).throughput.mean;
  const Parameters parameters;
  PathCounts counts;
  PolicyInputs inputs;
  inputs.network = &bench.network;
  inputs.dragonfly = &bench.dragonfly;
  inputs.parameters = &parameters;
  inputs.counts = &counts;
  const auto pattern = *make_pattern(*parse_pattern("advg:1"), bench.network, &bench.dragonfly);
  EXPECT_EQ(run_flows("ugal-l", inputs, pattern, 0.3).throughput.mean, plain);
  SourcePaths paths(bench.network);
  for (const auto& [flow, taken] : counts)
    for (const auto& [path, count] : taken) paths.add(flow.first, flow.second, static_cast<double>(count), path);
  inputs.counts = nullptr;
  inputs.paths = &paths;
  EXPECT_LE(paths.longest(), 5U);
  const double minimal = bench.run("min", "advg:1", 0.3, {}, {.warmup = 4000, .cycles = 8000}).throughput.mean;
  EXPECT_GT(run_flows("paths", inputs, pattern, 0.3).throughput.mean, 1.5 * minimal);
}

}  // namespace
}  // namespace espalier::packets::test
