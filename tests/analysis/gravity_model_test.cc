// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/congestion/gravity_model.h"

#include <gtest/gtest.h>

#include <array>

namespace espalier {
namespace {

TEST(GravityModel, spreads_what_is_sent_by_what_others_receive) {
  const std::array<HostSums, 3> hosts{HostSums{6, 0}, HostSums{0, 4}, HostSums{0, 2}};
  const std::vector<EstimatedFlow> flows = gravity_flows(hosts, 0);
  ASSERT_EQ(flows.size(), 2U);
  EXPECT_EQ(flows[0].destination, 1U);
  EXPECT_DOUBLE_EQ(flows[0].weight, 4);
  EXPECT_DOUBLE_EQ(flows[1].weight, 2);
  EXPECT_EQ(gravity_flows(hosts, 3).size(), 1U);
}

TEST(GravityModel, keeps_what_each_host_sends) {
  std::vector<HostSums> hosts;
  for (int i = 0; i < 9; ++i) hosts.push_back({1.0 + i * i % 5, 2.0 + i % 4});
  std::vector<double> sent(hosts.size(), 0);
  for (const EstimatedFlow& flow : gravity_flows(hosts, 0)) {
    EXPECT_NE(flow.source, flow.destination);
    sent[flow.source] += flow.weight;
  }
  for (std::size_t i = 0; i < hosts.size(); ++i) EXPECT_NEAR(sent[i], hosts[i].sent, 1e-9);
}

TEST(GravityModel, is_silent_where_nobody_receives) {
  const std::array<HostSums, 2> hosts{HostSums{6, 0}, HostSums{1, 0}};
  EXPECT_TRUE(gravity_flows(hosts, 0).empty());
}

}  // namespace
}  // namespace espalier
