// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/traffic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace espalier {
namespace {

using Kind = TrafficPattern::Kind;
using testing::ElementsAre;

TEST(Traffic, ShiftsSendEachRankKFurtherRoundTheEnd) {
  EXPECT_THAT(shift_permutation(5, 2), ElementsAre(2, 3, 4, 0, 1));
  EXPECT_THAT(shift_distances(8, 1), ElementsAre(1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(shift_distances(8, 3), ElementsAre(1, 4, 7));
  EXPECT_THAT(shift_distances(1, 1), ElementsAre());
  EXPECT_THAT(shift_distances(0, 1), ElementsAre());
}

TEST(Traffic, RandomPermutationsArePermutationsThatDependOnSeedAndNumberOnly) {
  const auto first = random_permutation(100, 7, 3);
  EXPECT_EQ(first, random_permutation(100, 7, 3));
  EXPECT_NE(first, random_permutation(100, 7, 4));
  EXPECT_NE(first, random_permutation(100, 8, 3));
  auto sorted = first;
  std::sort(sorted.begin(), sorted.end());
  for (std::uint32_t i = 0; i < 100; ++i) EXPECT_EQ(sorted[i], i);
}

TEST(Traffic, RandomPermutationsAreTheSameOnEveryPlatform) {
  EXPECT_THAT(random_permutation(6, 1, 0), ElementsAre(0, 2, 1, 4, 5, 3));
}

TEST(Traffic, AllSixOrdersOfThreeHostsAreEquallyFrequent) {
  std::map<std::vector<std::uint32_t>, int> count;
  for (std::uint32_t i = 0; i < 6000; ++i) ++count[random_permutation(3, 42, i)];
  ASSERT_EQ(count.size(), 6U);
  for (const auto& order : count) EXPECT_NEAR(order.second, 1000, 150);
}

TEST(Traffic, PatternsAreReadAsTheyAreWritten) {
  const auto patterns = parse_patterns("a2a,sp,sp:16,rp:200,rp").value();
  EXPECT_THAT(patterns, ElementsAre(TrafficPattern{Kind::kAllToAll, 1}, TrafficPattern{Kind::kShifts, 1},
                                    TrafficPattern{Kind::kShifts, 16}, TrafficPattern{Kind::kRandomPermutations, 200},
                                    TrafficPattern{Kind::kRandomPermutations, 1000}));
  EXPECT_EQ(patterns[2].text(), "sp:16");
  for (const TrafficPattern& pattern : patterns) EXPECT_EQ(parse_patterns(pattern.text()).value().at(0), pattern);
}

TEST(Traffic, NonsenseIsRefusedByName) {
  for (const char* bad :
       {"", "all", "sp:", "sp:0", "sp:-1", "rp:1000001", "rp:5x", "a2a:3", "a2a,", ",a2a", "sp:99999999999"})
    EXPECT_FALSE(parse_patterns(bad).has_value()) << bad;
  EXPECT_THAT(parse_patterns("a2a,all").error().message, testing::HasSubstr("\"all\""));
}

}  // namespace
}  // namespace espalier
