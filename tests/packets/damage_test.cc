// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Dragonflies that have lost links and routers: each node sends to each other one, and all has to arrive.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "core/fabric/faults.h"
#include "core/packets/policies/policies.h"
#include "core/packets/traffic/transfers.h"
#include "tests/packets/dragonfly_fabric.h"
#include "tests/support/fabrics.h"
#include "tests/support/without.h"

namespace espalier::packets::test {
namespace {

using espalier::test::generated;

bool is_for_dragonflies(const PolicyEntry& entry) {
  return entry.needs == Needs::kDragonfly || entry.needs == Needs::kCompleteGroups;
}

// Packets from all to all, all at once.
std::vector<std::vector<PacketTransfer>> all_pairs(const Network& network) {
  std::vector<std::vector<PacketTransfer>> phases(1);
  for (Node from = 0; from < network.num_nodes(); ++from)
    for (Node k = 1; k < network.num_nodes(); ++k)
      phases[0].push_back({.source = from, .destination = (from + k) % network.num_nodes()});
  return phases;
}

void expect_all_arrive(Bench& bench, const char* what) {
  for (PortEnd& port : bench.network.ports) port.latency = port.kind == PortClass::kGlobal ? 100 : 10;
  for (const PolicyEntry& entry : policies()) {
    if (!is_for_dragonflies(entry) || entry.name == "rlm-no-table") continue;
    if (bench.dragonfly.has_grids() && entry.needs == Needs::kCompleteGroups) continue;
    const Parameters parameters;
    PolicyInputs inputs;
    inputs.network = &bench.network;
    inputs.dragonfly = &bench.dragonfly;
    inputs.parameters = &parameters;
    auto policy = make_policy(entry.name, inputs);
    ASSERT_TRUE(policy.has_value()) << policy.error().message;
    Transfers traffic(all_pairs(bench.network), bench.network.num_nodes(), Transfers::Order::kBarriers);
    Simulator simulator(bench.network, parameters, **policy, traffic, 1);
    const RunResult result = run(simulator, {.cycles = 200'000}, traffic.total());
    EXPECT_TRUE(result.finished && !result.deadlock && result.undelivered == 0) << entry.name << ", " << what;
  }
}

// The link of a router to another of its group, or to another group.
PortNum link_of(const Bench& bench, Router from, PortClass kind, std::uint32_t number) {
  for (Port p = bench.network.first_port[from]; p < bench.network.first_port[from + 1]; ++p)
    if (bench.network.ports[p].kind == kind && number-- == 0) return bench.network.port_number[p];
  return kNoPort;
}

TEST(DamagedDragonfly, IsTraversedByAllPoliciesWithoutLocalLink) {
  const Bench whole(2);
  Bench bench(without_link(whole.fabric, SwitchId{5}, link_of(whole, 5, PortClass::kLocal, 1)));
  EXPECT_FALSE(bench.dragonfly.is_whole());
  expect_all_arrive(bench, "a local link");
}

TEST(DamagedDragonfly, IsTraversedByAllPoliciesWithoutGlobalLink) {
  const Bench whole(2);
  Bench bench(without_link(whole.fabric, SwitchId{5}, link_of(whole, 5, PortClass::kGlobal, 0)));
  EXPECT_FALSE(bench.dragonfly.is_whole());
  expect_all_arrive(bench, "a global link");
}

TEST(DamagedDragonfly, IsTraversedByAllPoliciesWithoutARouterAndItsGlobalLinks) {
  const Bench whole(2);
  Bench bench(without_switch(whole.fabric, SwitchId{7}));
  EXPECT_EQ(bench.dragonfly.group_size(), 4U);
  EXPECT_FALSE(bench.dragonfly.is_whole());
  expect_all_arrive(bench, "a router");
}

// More of them with ctest -L campaign.
std::uint64_t num_draws() {
  const char* const draws = std::getenv("ESPALIER_DAMAGE_DRAWS");
  return draws == nullptr ? 3 : std::stoul(draws);
}

// Every fourth draw also loses a router. Small ones may fall apart: those are refused.
TEST(DamagedDragonfly, IsTraversedByAllPoliciesWithoutATenthOfItsLinks) {
  std::uint64_t refused = 0;
  for (std::uint64_t seed = 1001; seed < 1001 + num_draws(); ++seed) {
    const unsigned h = seed % 8 == 0 ? 3 : 2;
    Fabric fabric = *degrade(balanced_dragonfly(h), {.links = h == 2 ? 9U : 45U, .seed = seed});
    if (seed % 4 == 0) fabric = without_switch(fabric, SwitchId{static_cast<std::uint32_t>(seed % 36)});
    Network network = make_network(fabric);
    if (!Dragonfly::find(fabric, network)) {
      ++refused;
      continue;
    }
    Bench bench(std::move(fabric));
    expect_all_arrive(bench, ("seed " + std::to_string(seed)).c_str());
  }
  EXPECT_LE(refused, num_draws() / 20);
}

TEST(DamagedCascade, IsTraversedByAllPoliciesThoughNoGroupIsWhole) {
  const Fabric whole = generated("dragonfly", "1,9,2,10;3,3,1,1");
  for (std::uint64_t seed = 1001; seed < 1001 + num_draws(); ++seed) {
    Bench bench(*degrade(whole, {.links = whole.num_switch_links() / 10, .seed = seed}));
    ASSERT_TRUE(bench.dragonfly.has_grids());
    std::uint32_t num_damaged = 0;
    for (std::uint32_t g = 0; g < bench.dragonfly.num_groups(); ++g) num_damaged += bench.dragonfly.is_whole(g) ? 0 : 1;
    EXPECT_GT(2 * num_damaged, bench.dragonfly.num_groups());
    expect_all_arrive(bench, ("seed " + std::to_string(seed)).c_str());
  }
}

TEST(DamagedCascade, LosesARouter) {
  Bench bench(without_switch(generated("dragonfly", "1,12,2,8;3,4,1,1"), SwitchId{7}));
  ASSERT_TRUE(bench.dragonfly.has_grids());
  expect_all_arrive(bench, "a router");
}

// Detours gain as much as on whole ones, but for the links that are missing.
TEST(DamagedDragonfly, CarriesNearlyAsMuchAdversarialTraffic) {
  Bench whole(3);
  Bench damaged(*degrade(balanced_dragonfly(3), {.links = 5, .seed = 1001}));
  for (const char* policy : {"valiant", "ugal-l", "pb", "par-6/2", "rlm", "olm"}) {
    const RunLength length{.warmup = 2000, .cycles = 2000};
    EXPECT_GT(damaged.run(policy, "advg:1", 0.3, {}, length).throughput.mean,
              0.85 * whole.run(policy, "advg:1", 0.3, {}, length).throughput.mean)
        << policy;
  }
}

TEST(DamagedDragonfly, InPiecesIsRefused) {
  const Bench whole(2);
  Removal removal;
  for (Port p = whole.network.first_port[5]; p < whole.network.first_port[6]; ++p)
    if (whole.network.ports[p].kind != PortClass::kNode)
      removal.links.push_back(whole.fabric.channel(SwitchId{5}, whole.network.port_number[p]));
  const Fabric fabric = without(whole.fabric, removal);
  Network network = make_network(fabric);
  EXPECT_FALSE(Dragonfly::find(fabric, network).has_value());
}

}  // namespace
}  // namespace espalier::packets::test
