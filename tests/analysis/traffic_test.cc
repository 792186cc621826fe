// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/congestion/traffic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

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

TEST(Traffic, BisectionsPairTheHostsOfTwoHalves) {
  for (const std::size_t n : {2U, 9U, 10U}) {
    const auto one_way = permutation(n, {Kind::kBisections, 5}, 3, 4);
    const auto two_ways = permutation(n, {Kind::kTwoWayBisections, 5}, 3, 4);
    std::set<std::uint32_t> receivers;
    std::size_t senders = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      EXPECT_EQ(two_ways[two_ways[i]], i);
      if (one_way[i] == i) continue;
      ++senders;
      receivers.insert(one_way[i]);
      EXPECT_EQ(one_way[one_way[i]], one_way[i]) << "a receiver sends";
      EXPECT_EQ(two_ways[i], one_way[i]);
    }
    EXPECT_EQ(senders, n / 2);
    EXPECT_EQ(receivers.size(), n / 2);
  }
}

TEST(Traffic, RingsComeBackAfterAllHostsAndNotBefore) {
  const auto next = permutation(12, {Kind::kRings, 5}, 3, 4);
  std::uint32_t at = 0;
  for (std::size_t steps = 1; steps < 12; ++steps) EXPECT_NE(at = next[at], 0U);
  EXPECT_EQ(next[at], 0U);
  EXPECT_NE(next, permutation(12, {Kind::kRings, 5}, 3, 3));
}

TEST(Traffic, PhasesOfShiftsAreTheirDistances) {
  for (const std::size_t n : {0U, 1U, 2U, 8U, 9U})
    for (const std::uint32_t step : {1U, 3U, 7U, 20U}) {
      const std::vector<std::uint32_t> distances = shift_distances(n, step);
      ASSERT_EQ(num_permutations(n, {Kind::kShifts, step}), distances.size()) << n << " " << step;
      for (std::uint32_t i = 0; i < distances.size(); ++i)
        EXPECT_EQ(permutation(n, {Kind::kShifts, step}, 0, i), shift_permutation(n, distances[i]));
    }
}

TEST(Traffic, PatternsAreReadAsTheyAreWritten) {
  const auto patterns = parse_patterns("a2a,sp,sp:16,rp:200,rp").value();
  EXPECT_THAT(patterns, ElementsAre(TrafficPattern{Kind::kAllToAll, 1}, TrafficPattern{Kind::kShifts, 1},
                                    TrafficPattern{Kind::kShifts, 16}, TrafficPattern{Kind::kRandomPermutations, 200},
                                    TrafficPattern{Kind::kRandomPermutations, 1000}));
  EXPECT_EQ(patterns[2].text(), "sp:16");
  const auto others =
      parse_patterns("bisect:7,bibisect,ring,biring:auto,rp:auto:0.25,scatter,gather,phase:a:b,matrix:c:d");
  EXPECT_EQ(others.value()[0], (TrafficPattern{Kind::kBisections, 7}));
  EXPECT_EQ(others.value()[3], (TrafficPattern{Kind::kTwoWayRings, 100000, 0.05}));
  EXPECT_EQ(others.value()[4].text(), "rp:auto:0.25");
  EXPECT_EQ(others.value()[7].from, "a");
  EXPECT_EQ(others.value()[7].to, "b");
  EXPECT_EQ(others.value()[8].from, "c:d");
  for (const TrafficPattern& pattern : others.value()) EXPECT_EQ(parse_patterns(pattern.text()).value().at(0), pattern);
  for (const TrafficPattern& pattern : patterns) EXPECT_EQ(parse_patterns(pattern.text()).value().at(0), pattern);
}

TEST(Traffic, AdversarialPatternsAreReadWithTheirDistances) {
  const auto patterns = parse_patterns("advg:2,advl:3,mixed:4:5:60").value();
  EXPECT_EQ(patterns[0], (TrafficPattern{Kind::kAdversarialGlobal, 2}));
  EXPECT_EQ(patterns[1], (TrafficPattern{Kind::kAdversarialLocal, 3}));
  EXPECT_EQ(patterns[2].parameter, 4U);
  EXPECT_EQ(patterns[2].local, 5U);
  EXPECT_EQ(patterns[2].percent, 60U);
  for (const TrafficPattern& pattern : patterns) {
    EXPECT_TRUE(pattern.is_adversarial()) << pattern.text();
    EXPECT_EQ(parse_patterns(pattern.text()).value().at(0), pattern);
  }
  EXPECT_FALSE(parse_patterns("matrix:FILE").value().at(0).is_adversarial());
}

TEST(Traffic, NonsenseIsRefusedByName) {
  for (const char* bad : {"",          "all",         "sp:",         "sp:0",        "sp:-1",          "rp:1000001",
                          "rp:5x",     "a2a:3",       "a2a,",        ",a2a",        "sp:99999999999", "rp:auto:0",
                          "rp:auto:x", "rp:auto:nan", "rp:auto:1:1", "rp:1:1",      "sp:auto",        "scatter:1",
                          "phase",     "phase:a",     "phase::b",    "phase:a:b:c", "matrix",         "matrix:",
                          "advg",      "advl:0",      "advg:1:2",    "mixed:1:1",   "mixed:1:1:101",  "mixed:1:0:5"})
    EXPECT_FALSE(parse_patterns(bad).has_value()) << bad;
  EXPECT_THAT(parse_patterns("a2a,all").error().message, testing::HasSubstr("\"all\""));
}

}  // namespace
}  // namespace espalier
