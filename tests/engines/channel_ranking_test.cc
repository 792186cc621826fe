// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/layers/lanes/channel_ranking.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace espalier {
namespace {

std::vector<WeightedStep> drawn(std::uint32_t channels, std::size_t steps, std::mt19937& random) {
  std::vector<WeightedStep> drawn(steps);
  for (WeightedStep& step : drawn) {
    step = {static_cast<std::uint32_t>(random() % channels), 0, 1 + static_cast<std::uint32_t>(random() % 9)};
    step.to = (step.from + 1 + static_cast<std::uint32_t>(random()) % (channels - 1)) % channels;
  }
  return drawn;
}

std::uint64_t ascending(const std::vector<WeightedStep>& steps, const std::vector<std::uint32_t>& number) {
  std::uint64_t routes = 0;
  for (const WeightedStep& step : steps) routes += number[step.from] < number[step.to] ? step.routes : 0;
  return routes;
}

TEST(RankChannels, numbers_each_once_and_those_without_steps_last) {
  EXPECT_EQ(rank_channels(5, std::vector<WeightedStep>{{4, 1, 3}, {1, 2, 1}}),
            (std::vector<std::uint32_t>{3, 1, 2, 4, 0}));
  EXPECT_EQ(rank_channels(2, {}), (std::vector<std::uint32_t>{0, 1}));
}

// Two thirds of all routes on random graphs, where any order and its reverse have one half on average.
TEST(RankChannels, lets_most_routes_ascend) {
  for (unsigned seed = 1001; seed < 1021; ++seed) {
    std::mt19937 random(seed);
    const std::uint32_t n = 40;
    const std::vector<WeightedStep> steps = drawn(n, 200, random);
    std::vector<std::uint32_t> number = rank_channels(n, steps);
    std::uint64_t all = 0;
    for (const WeightedStep& step : steps) all += step.routes;
    EXPECT_GT(3 * ascending(steps, number), 2 * all) << seed;
    std::sort(number.begin(), number.end());
    for (std::uint32_t i = 0; i < n; ++i) ASSERT_EQ(number[i], i);
  }
}

}  // namespace
}  // namespace espalier
