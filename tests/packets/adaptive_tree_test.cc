// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The policy `adaptive` on trees: every shortest up-down path, and no other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "core/packets/policies/policies.h"
#include "core/packets/run.h"
#include "core/packets/traffic/flows.h"
#include "core/packets/traffic/sources.h"
#include "core/tree/costs.h"
#include "core/tree/rank.h"
#include "tests/support/drawing.h"

namespace espalier::packets::test {
namespace {

struct Tree {
  explicit Tree(Fabric f) : fabric(std::move(f)), network(make_network(fabric)), tree(*rank(fabric)) {
    inputs.network = &network;
    inputs.parameters = &parameters;
    for (const SwitchId s : fabric.switches())
      inputs.levels.push_back(static_cast<std::uint32_t>(index(tree.level(s))));
  }
  Tree(const Tree&) = delete;

  [[nodiscard]] Node node(std::string_view name) const {
    const EndportId e = espalier::test::endport_named(fabric, name);
    return static_cast<Node>(std::find(network.endport.begin(), network.endport.end(), e) - network.endport.begin());
  }
  RunResult send(std::string_view from, std::string_view to, double load) {
    const auto policy = *make_policy("adaptive", inputs);
    auto flows = std::make_shared<Flows>(network.num_nodes());
    flows->add(node(from), node(to));
    Load traffic(flows, load, parameters.packet_phits);
    Simulator simulator(network, parameters, *policy, traffic, 1001);
    return run(simulator, {.warmup = 1000, .cycles = 100'000}, 0);
  }

  Fabric fabric;
  Network network;
  FatTree tree;
  Parameters parameters;
  PolicyInputs inputs;
};

// Pods A and B of two leaves each; B1 lacks a link, so that it is reached by one middle alone.
Fabric hurt_tree() {
  return espalier::test::draw(
      "A0:1 A1:1 B0:1 B1:1 M0 M1 N0 N1 T0 T1;"
      "A0-M0 A0-M1 A1-M0 A1-M1 B0-N0 B0-N1 B1-N1 M0-T0 M1-T1 N0-T0 N1-T1");
}

TEST(AdaptiveTree, TakesShortestUpDownPathsBetweenAllPairs) {
  Tree tree(hurt_tree());
  const UpDownCosts costs(tree.tree);
  for (const char* from : {"h0", "h1", "h2", "h3"})
    for (const char* to : {"h0", "h1", "h2", "h3"}) {
      if (std::string_view(from) == to) continue;
      const RunResult result = tree.send(from, to, 0.2);
      const auto leaf = [&](std::string_view host) {
        return tree.fabric.at(espalier::test::endport_named(tree.fabric, host)).leaf;
      };
      EXPECT_NEAR(result.throughput.mean * 4, 0.2, 0.02) << from << " " << to;
      EXPECT_DOUBLE_EQ(result.hops.mean, costs.cost(leaf(from), leaf(to))) << from << " " << to;
    }
}

// Two flows out of a leaf that share nothing else.
RunResult two_flows(const Parameters& parameters) {
  Tree tree(espalier::test::draw("A:2 B:2 S T; A-S A-T B-S B-T"));
  tree.parameters = parameters;
  const auto policy = *make_policy("adaptive", tree.inputs);
  auto flows = std::make_shared<Flows>(tree.network.num_nodes());
  flows->add(tree.node("h0"), tree.node("h2"));
  flows->add(tree.node("h1"), tree.node("h3"));
  Load traffic(flows, 0.9, tree.parameters.packet_phits);
  Simulator simulator(tree.network, tree.parameters, *policy, traffic, 1001);
  return run(simulator, {.warmup = 1000, .cycles = 4000}, 0);
}

TEST(AdaptiveTree, SpreadsOverAllUplinks) { EXPECT_NEAR(two_flows({}).throughput.mean * 2, 0.9, 0.05); }

// The ports have one virtual channel each, so that both occupancies are the same.
TEST(AdaptiveTree, GoesByWhenToDivertAndByNoOtherParameterOfPolicies) {
  const auto latency = [](const auto& change) {
    Parameters parameters;
    change(parameters);
    return two_flows(parameters).latency.mean;
  };
  const double plain = latency([](Parameters&) {});
  EXPECT_NE(latency([](Parameters& p) { p.diverts = Diverts::kWhenFull; }), plain);
  EXPECT_EQ(latency([](Parameters& p) { p.occupancy = Occupancy::kPort; }), plain);
  EXPECT_EQ(latency([](Parameters& p) { p.measure = QueueMeasure::kPhits; }), plain);
  EXPECT_EQ(latency([](Parameters& p) { p.threshold = 0.9; }), plain);
  const auto adaptive = std::find_if(policies().begin(), policies().end(),
                                     [](const PolicyEntry& entry) { return entry.name == "adaptive"; });
  EXPECT_THAT(adaptive->options, testing::ElementsAre(PolicyOption::kDiverts));
}

}  // namespace
}  // namespace espalier::packets::test
