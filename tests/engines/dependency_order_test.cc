// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/layers/lanes/dependency_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "core/engines/layers/shortest_hops.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

// All pairs of channels of which one leaves where the other ends.
std::vector<std::pair<ChannelId, ChannelId>> all_steps(const SwitchGraph& graph) {
  std::vector<std::pair<ChannelId, ChannelId>> steps;
  for (const SwitchId s : graph.fabric().switches())
    for (const Hop& in : graph.in(s))
      for (const Hop& out : graph.out(s)) steps.emplace_back(in.channel, out.channel);
  return steps;
}

void expect_takes_what_closes_no_cycle(std::string_view kind, std::string_view spec, unsigned seed) {
  const Fabric fabric = test::generated(kind, spec);
  const SwitchGraph graph(fabric);
  std::mt19937 random(seed);
  std::vector<std::pair<ChannelId, ChannelId>> steps = all_steps(graph);
  std::shuffle(steps.begin(), steps.end(), random);
  const std::size_t n = fabric.num_channels();
  std::vector<std::uint32_t> start(n);
  std::iota(start.begin(), start.end(), 0);
  std::shuffle(start.begin(), start.end(), random);
  DependencyOrder order(graph, start);
  std::vector<std::vector<bool>> reaches(n, std::vector<bool>(n));
  for (std::size_t a = 0; a < n; ++a) reaches[a][a] = true;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::size_t from = index(steps[i].first), to = index(steps[i].second);
    ASSERT_EQ(order.insert(steps[i].first, steps[i].second), !reaches[to][from]) << kind << ", step " << i;
    if (reaches[to][from]) continue;
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = 0; reaches[a][from] && b < n; ++b) reaches[a][b] = reaches[a][b] || reaches[to][b];
  }
}

TEST(DependencyOrder, takes_what_closes_no_cycle_and_nothing_else) {
  for (unsigned seed = 1001; seed < 1041; ++seed) {
    expect_takes_what_closes_no_cycle("torus", "5,1", seed);
    expect_takes_what_closes_no_cycle("hyperx", "3,3;1", seed);
    expect_takes_what_closes_no_cycle("kautz", "2,2,1", seed);
  }
}

TEST(DependencyOrder, knows_more_than_64_ports) { expect_takes_what_closes_no_cycle("hyperx", "2;66;1", 1001); }

// More channels than are looked at at once.
TEST(DependencyOrder, says_of_many_steps_at_once_which_it_would_refuse) {
  const Fabric fabric = test::generated("jellyfish", "70,10,1", 0, 1001);
  const SwitchGraph graph(fabric);
  std::mt19937 random(1001);
  std::vector<std::pair<ChannelId, ChannelId>> steps = all_steps(graph);
  std::shuffle(steps.begin(), steps.end(), random);
  std::vector<std::uint32_t> start(fabric.num_channels());
  std::iota(start.begin(), start.end(), 0);
  DependencyOrder order(graph, start);
  const std::size_t taken = steps.size() / 4;
  for (std::size_t i = 0; i < taken; ++i) (void)order.insert(steps[i].first, steps[i].second);
  const auto others = std::span(steps).subspan(taken);
  const std::vector<std::uint8_t> closing = order.close_cycles(others);
  std::size_t refused = 0;
  for (std::size_t i = 0; i < others.size(); i += 11) {
    DependencyOrder tried = order;
    ASSERT_EQ(closing[i] == 0, tried.insert(others[i].first, others[i].second)) << i;
    refused += closing[i];
  }
  EXPECT_GT(refused, 20U);
  EXPECT_LT(refused, others.size() / 11 - 20);
}

TEST(LeastFullestLoad, is_what_must_share_a_channel) {
  const auto least = [](std::string_view kind, std::string_view spec) {
    const Fabric fabric = test::generated(kind, spec);
    const SwitchGraph graph(fabric);
    HopsToAll hops(graph);
    return least_fullest_load(graph, hops);
  };
  EXPECT_EQ(least("torus", "2,1"), 1);            // two switches with a host each
  EXPECT_EQ(least("pgft", "2;6,6;1,6;1,1"), 30);  // 36 hosts on 6 leaves: 30 flows to each of 6 go up 36 links
  EXPECT_EQ(least("slimfly", "5,4"), 208);
  EXPECT_EQ(least("hyperx", "6,6;3"), 54);
}

}  // namespace
}  // namespace espalier
