// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/layers/dependency_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "core/engines/layers/shortest_hops.h"
#include "core/fabric/generators/generators.h"

namespace espalier {
namespace {

TEST(DependencyOrder, takes_what_closes_no_cycle_and_nothing_else) {
  std::mt19937 random(1001);
  for (int round = 0; round < 200; ++round) {
    const auto n = static_cast<std::uint32_t>(2 + random() % 9);
    std::vector<DependencyOrder::Step> steps;
    for (std::uint32_t a = 0; a < n; ++a)
      for (std::uint32_t b = 0; b < n; ++b) steps.push_back({a, b});
    std::shuffle(steps.begin(), steps.end(), random);
    std::vector<std::uint32_t> start(n);
    std::iota(start.begin(), start.end(), 0);
    std::shuffle(start.begin(), start.end(), random);
    DependencyOrder order(steps, start);
    std::vector<std::vector<bool>> reaches(n, std::vector<bool>(n));
    for (std::uint32_t a = 0; a < n; ++a) reaches[a][a] = true;
    for (std::uint32_t i = 0; i < steps.size(); ++i) {
      const auto [from, to] = steps[i];
      ASSERT_EQ(order.insert(i), !reaches[to][from]) << "round " << round << ", step " << i;
      if (reaches[to][from]) continue;
      for (std::uint32_t a = 0; a < n; ++a)
        for (std::uint32_t b = 0; b < n; ++b) reaches[a][b] = reaches[a][b] || (reaches[a][from] && reaches[to][b]);
    }
  }
}

TEST(LeastFullestLoad, is_what_must_share_a_channel) {
  const auto least = [](std::string_view kind, std::string_view spec) {
    const Fabric fabric = generate(find_generator(kind)->parse(spec).value()).value();
    return least_fullest_load(SwitchGraph(fabric));
  };
  EXPECT_EQ(least("torus", "2,1"), 1);            // two switches with a host each
  EXPECT_EQ(least("pgft", "2;6,6;1,6;1,1"), 30);  // 36 hosts on 6 leaves: 30 flows to each of 6 go up 36 links
  EXPECT_EQ(least("slimfly", "5,4"), 208);
  EXPECT_EQ(least("hyperx", "6,6;3"), 54);
}

}  // namespace
}  // namespace espalier
