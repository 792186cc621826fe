// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/packets/dragonfly.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/dragonfly/parity_sign.h"
#include "core/packets/traffic/dragonfly_patterns.h"
#include "tests/packets/dragonfly_fabric.h"

namespace espalier::packets::test {
namespace {

TEST(Dragonfly, GroupsAreFoundByCablingAndNumberedByName) {
  Bench bench(3);
  ASSERT_EQ(bench.dragonfly.num_groups(), 19U);
  ASSERT_EQ(bench.dragonfly.group_size(), 6U);
  for (Router r = 0; r < bench.network.num_routers(); ++r)
    EXPECT_EQ(bench.fabric.at(SwitchId{r}).description,
              fmt::format("group {} router {}", bench.dragonfly.group(r), bench.dragonfly.member(r)));
}

TEST(Dragonfly, AnyTwoGroupsOfABalancedOneHaveOneLink) {
  Bench bench(2);
  for (std::uint32_t from = 0; from < 9; ++from)
    for (std::uint32_t to = 0; to < 9; ++to) {
      if (from == to) continue;
      ASSERT_EQ(bench.dragonfly.exits(from, to).size(), 1U);
      const auto exit = bench.dragonfly.exits(from, to)[0];
      EXPECT_EQ(bench.dragonfly.group(exit.router), from);
      EXPECT_EQ(bench.dragonfly.leads_to(exit.port), to);
    }
}

// Garcia 2013, III-B: at least h - 1 detours between any two routers; for h = 4 between 3 and 6.
TEST(ParitySign, LeavesEachPairOfRoutersAsManyDetoursAsNodesLessOne) {
  for (std::uint32_t h = 2; h <= 16; ++h) {
    std::uint32_t least = 2 * h;
    for (std::uint32_t i = 0; i < 2 * h; ++i)
      for (std::uint32_t j = 0; j < 2 * h; ++j) {
        std::uint32_t detours = 0;
        for (std::uint32_t k = 0; i != j && k < 2 * h; ++k)
          detours += k != i && k != j && turn_allowed(i, k, j) ? 1 : 0;
        if (i != j) least = std::min(least, detours);
      }
    EXPECT_EQ(least, h - 1) << "h " << h;
  }
}

TEST(ParitySign, ForbidsTheWayThatThePaperForbids) {
  EXPECT_FALSE(turn_allowed(5, 1, 0));
  for (const std::uint32_t k : {2U, 4U, 6U}) EXPECT_TRUE(turn_allowed(5, k, 0));
}

TEST(Traffic, WordsOutOfRangeAreRefused) {
  for (const char* word : {"", "un:1", "advg", "advg:0", "advg:x", "mixed", "mixed:101", "mixed:-1", "burst:5",
                           "burst:0:0.5", "burst:1000001:0.5", "burst:5:burst:5:0.5", "nlc:0.5", "nlc:0.5:un",
                           "nlc:x:advg:1", "rlc:0.5:burst:5:0.5", "rlc:0.5:nlc:0.5:advg:1", "storm"})
    EXPECT_FALSE(parse_pattern(word).has_value()) << word;
  EXPECT_EQ(parse_pattern("mixed:50")->global_share, 0.5);
  EXPECT_EQ(parse_pattern("burst:89:0.25")->burst, 89U);
  EXPECT_EQ(parse_pattern("burst:5:advl:3")->burst, 5U);
  EXPECT_EQ(parse_pattern("burst:5:advl:3")->shift, 3U);
}

// Of four routers in each of nine groups, every second one sends to all others.
TEST(Traffic, GoesToAllFromAShareOfThePacketsOrOfTheRouters) {
  Bench bench(2);
  const auto share_to_next_group = [&](const char* word, Node node) {
    const auto pattern = *make_pattern(*parse_pattern(word), bench.network, &bench.dragonfly);
    const auto group = [&](Node n) { return bench.dragonfly.group(bench.network.router_of(n)); };
    Random random(1001);
    int count = 0;
    for (int i = 0; i < 1000; ++i)
      count += group(pattern->destination(node, random)) == (group(node) + 1) % bench.dragonfly.num_groups() ? 1 : 0;
    return count / 1000.0;
  };
  std::uint32_t uniform = 0;
  for (Node n = 0; n < bench.network.num_nodes(); ++n) {
    EXPECT_NEAR(share_to_next_group("nlc:75:advg:1", n), 0.25 + 0.75 / 9, 0.06);
    const double share = share_to_next_group("rlc:0.5:advg:1", n);
    uniform += share < 0.5 ? 1 : 0;
    EXPECT_TRUE(share == 1 || share < 0.2) << share;
  }
  EXPECT_EQ(uniform * 2, bench.network.num_nodes());
}

}  // namespace
}  // namespace espalier::packets::test
