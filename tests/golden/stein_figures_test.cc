// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Figures of Stein 2024: chapter 5 (slowdowns, Table 5.4), 6.2 and 6.3 (what has to move), 6.7.2 (entries).
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/fabric/fabric_builder.h"
#include "core/schedule/leaf_spine/leaf_spine.h"
#include "core/schedule/leaf_spine/phase_bound.h"
#include "core/schedule/leaf_spine/phase_spines.h"
#include "tests/support/adapted_schedule.h"
#include "tests/support/fabrics.h"
#include "tests/support/formula_schedules.h"

namespace espalier {
namespace {

struct Network {
  std::uint32_t servers, leaves;
  [[nodiscard]] std::uint32_t size() const { return servers * leaves; }
  // All leaves whole but the first.
  [[nodiscard]] std::vector<std::uint32_t> uplinks(std::uint32_t reduction) const {
    std::vector<std::uint32_t> all(leaves, servers);
    all[0] -= reduction;
    return all;
  }
  [[nodiscard]] std::uint32_t bound(std::uint32_t reduction) const {
    LeafSpine tree(std::vector<std::uint32_t>(leaves, servers), servers);
    for (std::uint32_t s = 0; s < reduction; ++s) tree.cut(0, s);
    return phase_bound(tree).phases();
  }
};

constexpr Network kSquare{16, 16};
constexpr Network kDaq{20, 18};
constexpr Network kWide{16, 32};

double slowdown(const Network& network, const PhaseList& phases, std::uint32_t reduction) {
  return static_cast<double>(exchange_duration(phases, network.uplinks(reduction), network.servers)) /
         static_cast<double>(network.size());
}

TEST(Section55, LinearShiftSlowsDownAlmostToHalf) {
  EXPECT_DOUBLE_EQ(slowdown(kSquare, linear_shift(256), 1), 1.875);
  EXPECT_NEAR(slowdown(kDaq, linear_shift(360), 1), 1.88, 0.01);
  EXPECT_DOUBLE_EQ(slowdown(kWide, linear_shift(512), 1), 1.9375);
}

TEST(Section55, BandwidthOptimalSlowsDownOnlyWithManyLeaves) {
  EXPECT_DOUBLE_EQ(slowdown(kSquare, bandwidth_optimal(16, 16), 1), 1);
  EXPECT_DOUBLE_EQ(slowdown(kDaq, bandwidth_optimal(20, 18), 1), 1);
  EXPECT_DOUBLE_EQ(slowdown(kWide, bandwidth_optimal(16, 32), 1), 1.5);
}

// FS takes as many phases as the bound says, so that the published speedups are those of the bound.
TEST(Section55, FaultAdaptiveSpeedsUpOverBandwidthOptimal) {
  const auto speedup = [](const Network& network, std::uint32_t reduction) {
    const PhaseList given = bandwidth_optimal(network.servers, network.leaves);
    const AdaptedSchedule adapted = adapt_schedule(given, network.uplinks(reduction), network.servers);
    EXPECT_EQ(adapted.phases.size(), network.bound(reduction)) << network.leaves << " leaves";
    return static_cast<double>(exchange_duration(given, network.uplinks(reduction), network.servers)) /
           static_cast<double>(adapted.phases.size());
  };
  EXPECT_DOUBLE_EQ(speedup(kSquare, 1), 1);
  EXPECT_DOUBLE_EQ(speedup(kDaq, 1), 1);
  EXPECT_NEAR(speedup(kWide, 1), 1.4, 0.05);
  EXPECT_NEAR(speedup(kWide, 2), 1.8, 0.1);
}

// Whoever meets whom, and that nobody is asked for two things at once.
TEST(AdaptedSchedule, IsAnExchangeWithoutCongestion) {
  for (const auto& [servers, leaves] : {std::pair(2U, 4U), {4U, 8U}, {6U, 5U}, {8U, 9U}})
    for (std::uint32_t reduction = 0; reduction <= servers / 2; ++reduction) {
      const Network network{servers, leaves};
      std::vector<std::uint32_t> uplinks = network.uplinks(reduction);
      uplinks.back() = servers - reduction / 2;
      for (const PhaseList& given : {linear_shift(network.size()), bandwidth_optimal(servers, leaves)}) {
        const AdaptedSchedule adapted = adapt_schedule(given, uplinks, servers);
        std::set<ServerPair> met;
        for (const auto& phase : adapted.phases) {
          std::set<std::uint32_t> senders;
          std::set<std::uint32_t> receivers;
          for (const auto& [s, d] : phase) {
            EXPECT_TRUE(met.emplace(s, d).second);
            EXPECT_TRUE(senders.insert(s).second);
            EXPECT_TRUE(receivers.insert(d).second);
          }
        }
        EXPECT_EQ(met.size(), std::size_t{network.size()} * network.size());
        EXPECT_LE(exchange_duration(adapted.phases, uplinks, servers), adapted.phases.size());
      }
    }
}

TEST(Table54, MovesEightFlowsToFourMorePhases) {
  const std::vector<std::uint32_t> uplinks{1, 2, 2, 2};
  const PhaseList given = bandwidth_optimal(2, 4);
  EXPECT_EQ(given[1][0], ServerPair(0, 2));
  EXPECT_EQ(given[1][1], ServerPair(1, 4));
  const AdaptedSchedule adapted = adapt_schedule(given, uplinks, 2);
  EXPECT_EQ(adapted.moved, 8U);
  EXPECT_EQ(adapted.phases.size(), 12U);
  const auto marked = may_have_to_move(given, uplinks, 2);
  EXPECT_TRUE(std::find(marked.begin(), marked.end(), ServerPair(0, 2)) != marked.end());
  EXPECT_TRUE(std::find(marked.begin(), marked.end(), ServerPair(1, 4)) != marked.end());
}

LeafSpine figure63(std::uint32_t broken) {
  LeafSpine tree(std::vector<std::uint32_t>(8, 4), 4);
  for (std::uint32_t leaf = 0; leaf < broken; ++leaf) tree.cut(leaf, leaf % 4);
  return tree;
}

TEST(Section63, HasNoSpineForThreeFlowsBetweenTheTwoDamagedLeaves) {
  const LeafSpine tree = figure63(2);
  const std::vector<LeafPair> two{{0, 1}, {0, 1}};
  const std::vector<LeafPair> three{{0, 1}, {0, 1}, {0, 1}};
  EXPECT_TRUE(phase_spines(tree, two).has_value());
  EXPECT_FALSE(phase_spines(tree, three).has_value());
}

// How many of these few flows have to move, by trying all subsets.
std::uint32_t fewest_without_spine(const LeafSpine& tree, const std::vector<LeafPair>& flows) {
  std::size_t most = 0;
  for (std::uint32_t subset = 0; subset < 1U << flows.size(); ++subset) {
    std::vector<LeafPair> some;
    for (std::size_t i = 0; i < flows.size(); ++i)
      if ((subset >> i & 1) != 0) some.push_back(flows[i]);
    if (some.size() > most && phase_spines(tree, some)) most = some.size();
  }
  return static_cast<std::uint32_t>(flows.size() - most);
}

// 6.2: 38 phases at least. The thesis moves 28 flows of leaf 0, 112 in all, and so has 112 x 7 = 784 variables. Its
// tables 6.1 and 6.2 mark no flow in phase 28, where all four servers of leaf 0 send to others over three uplinks: it
// has to be 29.
TEST(Section62, BoundsThePhasesAndCountsWhatHasToMove) {
  EXPECT_EQ(phase_bound(figure63(4)).leaf, 38U);
  const LeafSpine tree = figure63(4);
  std::uint32_t moved = 0;
  std::uint32_t moved_in_phase_28 = 0;
  const PhaseList phases = linear_shift(32);
  for (std::size_t p = 0; p < phases.size(); ++p) {
    std::vector<LeafPair> flows;
    for (const auto& [s, d] : phases[p])
      if (s / 4 == 0 && d / 4 != 0) flows.push_back({0, d / 4});
    const std::uint32_t without = fewest_without_spine(tree, flows);
    moved += without;
    if (p == 28) moved_in_phase_28 = without;
  }
  EXPECT_EQ(moved_in_phase_28, 1U);
  EXPECT_EQ(moved - moved_in_phase_28, 28U);
  EXPECT_EQ(28U * 4 * (38 - 32 + 1), 784U);
}

std::size_t entries(const Fabric& fabric, SwitchId s) {
  std::size_t count = 0;
  for (std::size_t lid = 1; lid <= index(fabric.top_lid()); ++lid) {
    const LidOwner& owner = fabric.owner(id_at<Lid>(lid));
    count += owner.kind != LidOwner::Kind::kNone && !(owner.kind == LidOwner::Kind::kSwitch && owner.id == index(s));
  }
  return count;
}

// 326 servers with LMC 5 and 37 other switches.
TEST(Section67, TakesThePublishedNumberOfEntries) {
  FabricBuilder builder(test::pgft("2;20,18;1,20;1,1"));
  ASSERT_EQ(builder.num_switches(), 38U);
  FabricBuilder daq;
  for (std::size_t s = 0; s < 38; ++s) daq.add_switch(builder.at(id_at<FabricBuilder::SwitchHandle>(s)));
  for (std::size_t e = 0; e < 326; ++e) {
    const auto host = daq.add_endport(builder.at(id_at<FabricBuilder::EndportHandle>(e)));
    daq.connect(id_at<FabricBuilder::SwitchHandle>(e / 20), id_at<PortNum>(e % 20 + 1), host);
  }
  ASSERT_TRUE(daq.assign_lids(5, FabricBuilder::Numbering::kRenumber));
  const Result<Fabric> fabric = std::move(daq).build();
  ASSERT_TRUE(fabric) << fabric.error().text();
  EXPECT_EQ(entries(*fabric, SwitchId{0}), 10'469U);
}

// 36 x 1296 + 36 + 36 = 46 728 entries are counted for FT(2;36,36). But a LID range is a power of two, and 64 LIDs for
// each of 1 296 servers are more than InfiniBand has.
TEST(Section67, CountsEntriesThatNoLmcCanGive) {
  EXPECT_EQ(36U * (36 * 36) + 36 + 36, 46'728U);
  FabricBuilder builder(test::pgft("2;36,36;1,36;1,1"));
  ASSERT_EQ(builder.num_endports(), 1296U);
  EXPECT_FALSE(builder.assign_lids(6, FabricBuilder::Numbering::kRenumber));
  EXPECT_TRUE(builder.assign_lids(2, FabricBuilder::Numbering::kRenumber)) << "mode block needs no more";
}

}  // namespace
}  // namespace espalier
