// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The thesis's algorithms as printed, and what is wrong with them; ours beside them.
#include "tests/schedule/published_algorithms.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <set>

#include "core/schedule/leaf_spine/phase_spines.h"
#include "tests/support/formula_schedules.h"

namespace espalier::test {
namespace {

struct Findings {
  std::uint32_t phases_with_double_receive = 0;
  std::uint32_t phases_with_double_send = 0;
  std::uint32_t phases_with_repeated_leaf_pair = 0;
  std::uint32_t phases_over_bandwidth = 0;  // a leaf sends or receives more than servers - f
  std::uint32_t wrong_remote_pairs = 0;     // that do not meet exactly once
  bool operator==(const Findings&) const = default;
};

Findings examine(const PhaseList& schedule, std::uint32_t m0, std::uint32_t m1, std::uint32_t f) {
  Findings found;
  std::map<ServerPair, int> met;
  for (const auto& phase : schedule) {
    std::set<std::uint32_t> senders;
    std::set<std::uint32_t> receivers;
    std::set<ServerPair> leaf_pairs;
    std::map<std::uint32_t, std::uint32_t> out;
    std::map<std::uint32_t, std::uint32_t> in;
    bool leaf_pair_twice = false;
    for (const auto& [s, d] : phase) {
      ++met[{s, d}];
      senders.insert(s);
      receivers.insert(d);
      if (s / m0 == d / m0) continue;
      leaf_pair_twice |= !leaf_pairs.emplace(s / m0, d / m0).second;
      ++out[s / m0];
      ++in[d / m0];
    }
    bool over = false;
    for (const auto& side : {out, in})
      for (const auto& [leaf, flows] : side) over |= flows > m0 - f;
    found.phases_with_double_send += senders.size() < phase.size();
    found.phases_with_double_receive += receivers.size() < phase.size();
    found.phases_with_repeated_leaf_pair += leaf_pair_twice;
    found.phases_over_bandwidth += over;
  }
  for (std::uint32_t a = 0; a < m0 * m1; ++a)
    for (std::uint32_t b = 0; b < m0 * m1; ++b)
      if (a / m0 != b / m0 && met[{a, b}] != 1) ++found.wrong_remote_pairs;
  return found;
}

TEST(Algorithm5, LetsLeafPairsMeetTwiceInAPhaseOfTheDaqNetwork) {
  EXPECT_EQ(examine(published_fault_adaptive(20, 18, 1), 20, 18, 1).phases_with_repeated_leaf_pair, 358U);
  EXPECT_EQ(examine(published_fault_adaptive(20, 18, 2), 20, 18, 2).phases_with_repeated_leaf_pair, 378U);
  for (const std::uint32_t f : {3U, 4U, 5U})
    EXPECT_EQ(examine(published_fault_adaptive(20, 18, f), 20, 18, f), Findings{});
}

TEST(Algorithm5, LetsAServerReceiveTwice) {
  EXPECT_EQ(examine(published_fault_adaptive(8, 9, 3), 8, 9, 3).phases_with_double_receive, 5U);
  EXPECT_EQ(examine(published_fault_adaptive(6, 7, 1), 6, 7, 1).phases_with_double_receive, 2U);
  EXPECT_EQ(examine(published_fault_adaptive(9, 7, 5), 9, 7, 5).phases_with_double_receive, 1U);
}

TEST(FaultAdaptive, IsRightEverywhereInAsManyPhases) {
  for (const auto& [m0, m1] : {std::pair(20U, 18U), {8U, 9U}, {6U, 7U}, {9U, 7U}, {8U, 5U}, {4U, 8U}, {5U, 7U}})
    for (std::uint32_t f = 1; f <= 3; ++f) {
      SCOPED_TRACE(testing::Message() << "FT(2;" << m0 << "," << m1 << ") f=" << f);
      const PhaseList schedule = fault_adaptive(m0, m1, f);
      Findings found = examine(schedule, m0, m1, f);
      if (m0 - f > m1 - 1) found.phases_with_repeated_leaf_pair = 0;  // cannot be helped
      EXPECT_EQ(found, Findings{});
      // Within leaves, too; they need room of their own only where the published number is less than the servers'.
      std::set<ServerPair> met;
      for (const auto& phase : schedule) met.insert(phase.begin(), phase.end());
      EXPECT_EQ(met.size(), std::size_t{m0} * m1 * (m0 * m1 - 1));
      const std::uint32_t published = (m0 * (m1 - 1) * m0 + m0 - f - 1) / (m0 - f);
      EXPECT_LE(schedule.size(), std::max(published, m0 * m1) + m0);
    }
}

// How many flows find their link taken.
std::uint32_t shared_links(const PhaseList& schedule, const std::vector<std::vector<std::uint32_t>>& spines,
                           std::uint32_t m0) {
  std::uint32_t shared = 0;
  for (std::size_t p = 0; p < schedule.size(); ++p) {
    std::set<ServerPair> up;
    std::set<ServerPair> down;
    for (std::size_t i = 0; i < schedule[p].size(); ++i) {
      const auto& [s, d] = schedule[p][i];
      if (s / m0 == d / m0) continue;
      shared += !up.emplace(s / m0, spines[p][i]).second;
      shared += !down.emplace(d / m0, spines[p][i]).second;
    }
  }
  return shared;
}

std::vector<std::uint32_t> spines_from(std::uint32_t first, std::uint32_t end) {
  std::vector<std::uint32_t> spines(end - first);
  std::iota(spines.begin(), spines.end(), first);
  return spines;
}

TEST(Algorithm6, SendsTwoFlowsDownOneLinkEvenWhereTheScheduleIsRight) {
  const PhaseList schedule = published_fault_adaptive(16, 32, 2);
  ASSERT_EQ(examine(schedule, 16, 32, 2), Findings{});
  EXPECT_EQ(shared_links(schedule, published_spines(schedule, 16, spines_from(2, 16)), 16), 157U);
  const PhaseList daq = published_fault_adaptive(20, 18, 1);
  EXPECT_EQ(shared_links(daq, published_spines(daq, 20, spines_from(1, 20)), 20), 59U);
}

TEST(PhaseSpines, ColorsThePhasesInWhichAlgorithm6Fails) {
  for (const auto& [m0, m1, f] : {std::tuple(16U, 32U, 2U), {20U, 18U, 1U}}) {
    const PhaseList schedule = fault_adaptive(m0, m1, f);
    LeafSpine tree(std::vector<std::uint32_t>(m1, m0), m0);
    for (std::uint32_t leaf = 0; leaf < m1; ++leaf)
      for (std::uint32_t s = 0; s < f; ++s) tree.cut(leaf, s);
    std::vector<std::vector<std::uint32_t>> spines;
    for (const auto& phase : schedule) {
      std::vector<LeafPair> flows;
      for (const auto& [s, d] : phase)
        if (s / m0 != d / m0) flows.push_back({s / m0, d / m0});
      const auto colors = spines_by_exchange(tree, flows);
      ASSERT_TRUE(colors);
      auto& of_phase = spines.emplace_back();
      std::size_t next = 0;
      for (const auto& [s, d] : phase) of_phase.push_back(s / m0 != d / m0 ? (*colors)[next++] : 0);
    }
    EXPECT_EQ(shared_links(schedule, spines, m0), 0U);
  }
}

TEST(Algorithm1, ExchangesTheModuliOfTheTwoDigits) {
  EXPECT_EQ(examine(published_bandwidth_optimal(4, 4), 4, 4, 0), Findings{});
  std::uint32_t beyond = 0;
  for (const auto& phase : published_bandwidth_optimal(20, 18))
    for (const auto& [s, d] : phase) beyond += d >= 360;
  EXPECT_EQ(beyond, 12960U);
}

TEST(BandwidthOptimal, SpreadsTheServersOfALeafOverAllLeaves) {
  for (const auto& [m0, m1] : {std::pair(4U, 4U), {20U, 18U}, {4U, 8U}}) {
    const PhaseList schedule = bandwidth_optimal(m0, m1);
    EXPECT_EQ(examine(schedule, m0, m1, m0 / m1), Findings{.phases_with_repeated_leaf_pair = m0 > m1 ? m0 * m1 : 0});
    EXPECT_EQ(schedule.size(), std::size_t{m0} * m1);
  }
}

TEST(LinearShift, IsALatinSquare) {
  EXPECT_EQ(examine(linear_shift(12), 3, 4, 0).wrong_remote_pairs, 0U);
  EXPECT_EQ(linear_shift(12).size(), 12U);
}

TEST(Algorithm2, PrintsAFloorWhereTheFormulaHasACeiling) {
  // Three of four servers' uplinks: four flows take two units of time, not one.
  const PhaseList phase{{{0, 4}, {1, 5}, {2, 6}, {3, 7}}};
  EXPECT_EQ(published_duration(phase, {3, 4}, 4), 1U);
  EXPECT_EQ(exchange_duration(phase, {3, 4}, 4), 2U);
}

TEST(ExchangeDuration, OfTheThesisExamples) {
  // Figure 5.6: linear shift on FT(2;2,2) with one lost link: phase 0 at once, phase 2 twice as long, four in all.
  EXPECT_EQ(exchange_duration(linear_shift(4), {1, 2}, 2), 4U);
  // Figure 5.5: bandwidth-optimal on the same: four.
  EXPECT_EQ(exchange_duration(bandwidth_optimal(2, 2), {1, 2}, 2), 4U);
  // Sect. 5.5: linear shift slows down to 1.88 (cut off, not rounded) on FT(2;20,18) with a bandwidth reduction of 1.
  std::vector<std::uint32_t> uplinks(18, 20);
  uplinks[0] = 19;
  EXPECT_NEAR(static_cast<double>(exchange_duration(linear_shift(360), uplinks, 20)) / 360, 1.885, 0.005);
}

TEST(PhaseSpines, AsksTheSolverWhereSingleExchangesDoNotSuffice) {
  // Flows 0-1 twice and others, each with few spines: exact search agrees with trying everything.
  for (std::uint32_t pattern = 0; pattern < 512; ++pattern) {
    LeafSpine tree({1, 1, 1}, 3);
    for (std::uint32_t bit = 0; bit < 9; ++bit)
      if ((pattern >> bit & 1) != 0) tree.cut(bit / 3, bit % 3);
    const std::vector<LeafPair> flows{{0, 1}, {0, 2}, {1, 2}, {2, 1}};
    bool possible = false;
    for (std::uint32_t choice = 0; choice < 81 && !possible; ++choice) {
      std::set<std::tuple<bool, std::uint32_t, std::uint32_t>> links;
      bool good = true;
      std::uint32_t rest = choice;
      for (const LeafPair& flow : flows) {
        const std::uint32_t s = rest % 3;
        rest /= 3;
        good = good && tree.joined(flow.from, s) && tree.joined(flow.to, s) &&
               links.emplace(true, flow.from, s).second && links.emplace(false, flow.to, s).second;
      }
      possible = good;
    }
    const auto spines = phase_spines(tree, flows);
    EXPECT_EQ(spines.has_value(), possible) << pattern;
    if (!spines) continue;
    std::set<std::tuple<bool, std::uint32_t, std::uint32_t>> links;
    for (std::size_t i = 0; i < flows.size(); ++i) {
      EXPECT_TRUE(tree.joined(flows[i].from, (*spines)[i]) && tree.joined(flows[i].to, (*spines)[i]));
      EXPECT_TRUE(links.emplace(true, flows[i].from, (*spines)[i]).second);
      EXPECT_TRUE(links.emplace(false, flows[i].to, (*spines)[i]).second);
    }
  }
}

}  // namespace
}  // namespace espalier::test
