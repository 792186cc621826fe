// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/balanced/loads/flow_loads.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/engines/modulo/closed_form.h"
#include "core/tree/rank.h"
#include "tests/support/drawing.h"

namespace espalier {
namespace {

// Three leaves below one spine: h0 and h1 at A, h2 at B, h3 at C.
class FlowLoadsTest : public testing::Test {
 protected:
  FlowLoads loads(const std::vector<KnownFlow>& flows, const Objective& objective = {}) {
    return {problem_, channels_, sources_, flows, objective};
  }
  [[nodiscard]] EndportId host(std::string_view name) const { return test::endport_named(fabric_, name); }
  // The position of a host in the order of hosts.
  [[nodiscard]] std::uint32_t position(std::string_view name) const {
    const auto& hosts = problem_.order.hosts;
    return static_cast<std::uint32_t>(std::find(hosts.begin(), hosts.end(), host(name)) - hosts.begin());
  }
  // Everybody's only channel toward the leaf of this host.
  [[nodiscard]] std::vector<std::uint8_t> column(std::string_view name) const {
    std::vector<std::uint8_t> hops(fabric_.num_switches(), kNoHop);
    for (const SwitchId s : fabric_.switches())
      if (const PortNum port = tables_.at(s, fabric_.at(host(name)).lid); s != leaf(name))
        hops[index(s)] = channels_.number(s, port);
    return hops;
  }
  [[nodiscard]] SwitchId leaf(std::string_view name) const { return fabric_.at(host(name)).leaf; }
  [[nodiscard]] TreeChannelId channel(std::string_view from, std::string_view to) const {
    const SwitchId s = test::switch_named(fabric_, from);
    for (std::size_t n = 0;; ++n)
      if (channels_.remote(channels_.at(s, n)) == test::switch_named(fabric_, to)) return channels_.at(s, n);
  }
  void add_all(FlowLoads& loads) const {
    for (const char* name : {"h0", "h1", "h2", "h3"})
      for (const FlowLoads::Sender& sender : loads.to(position(name))) loads.add(sender, leaf(name), column(name));
  }

  Fabric fabric_ = test::draw("A:2 B:1 C:1 S; A-S B-S C-S");
  FatTree tree_ = *rank(fabric_);
  RoutingProblem problem_{tree_};
  ForwardingTables tables_ = closed_form(problem_);
  TreeChannels channels_{tree_};
  std::vector<HostRun> sources_ = host_runs(fabric_, problem_.order);
};

TEST_F(FlowLoadsTest, CountFlowsInThoseOfTheHeaviest) {
  FlowLoads l = loads({{host("h0"), host("h2"), 8}, {host("h1"), host("h2"), 2}, {host("h3"), host("h2"), 4}});
  EXPECT_EQ(l.most(), 0);
  add_all(l);
  EXPECT_DOUBLE_EQ(l.most(), 14.0 / 8) << "from the spine to B";
  for (const FlowLoads::Sender& sender : l.to(position("h2"))) l.remove(sender, leaf("h2"), column("h2"));
  EXPECT_EQ(l.most(), 0);
}

TEST_F(FlowLoadsTest, LeaveOutWhatStaysOnALeafAndWhatNobodyWants) {
  EXPECT_TRUE(loads({{host("h0"), host("h1"), 8}}).empty());
  EXPECT_TRUE(loads({{host("h0"), host("h2"), 8}}, {.flows = 0}).empty());
  EXPECT_TRUE(loads({}).empty());
}

TEST_F(FlowLoadsTest, SumTheFlowsOfALeafsHosts) {
  const FlowLoads l = loads({{host("h0"), host("h2"), 3}, {host("h1"), host("h2"), 1}});
  ASSERT_EQ(l.to(position("h2")).size(), 1U);
  EXPECT_EQ(l.to(position("h2"))[0].units, (1U << 20) * 4 / 3);
  EXPECT_TRUE(l.to(position("h3")).empty());
}

TEST_F(FlowLoadsTest, PriceAChannelByTheFifthPowerOfItsLoad) {
  FlowLoads l = loads({{host("h0"), host("h2"), 1}, {host("h0"), host("h3"), 1}});
  add_all(l);
  l.set_prices(64, 10);
  EXPECT_DOUBLE_EQ(l.price(channel("A", "S"), 0), 64) << "the fullest";
  EXPECT_DOUBLE_EQ(l.price(channel("S", "B"), 0), 2) << "half as full";
  EXPECT_DOUBLE_EQ(l.price(channel("S", "B"), 1U << 20), 64) << "one more";
  EXPECT_DOUBLE_EQ(l.price(channel("B", "S"), 0), 0);
  EXPECT_DOUBLE_EQ(l.path_price(l.to(position("h2"))[0], leaf("h2"), column("h2")), 66);
  EXPECT_DOUBLE_EQ(l.mean_path_price(), 66);
  EXPECT_DOUBLE_EQ(l.flows_per_unit() * (1U << 20), 5) << "two flows are worth ten";
}

TEST_F(FlowLoadsTest, CountMoreOnSlowChannels) {
  FlowLoads l = loads({{host("h0"), host("h2"), 1}, {host("h0"), host("h3"), 1}});
  l.set_weight(channel("S", "C"), 32, 8);
  add_all(l);
  EXPECT_DOUBLE_EQ(l.most(), 4);
}

}  // namespace
}  // namespace espalier
