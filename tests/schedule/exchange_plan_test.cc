// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/schedule/exchanges/exchange_plan.h"

#include <gmock/gmock.h>

#include <numeric>
#include <set>

#include "core/fabric/random_order.h"
#include "core/schedule/leaf_spine/phase_bound.h"
#include "tests/schedule/random_damage.h"

namespace espalier {
namespace {

// The most spines that one leaf uses toward one server.
std::size_t most_spines_per_server(const LeafSpine& tree, const ExchangePlan& plan) {
  std::set<std::tuple<std::size_t, std::uint32_t, std::uint32_t>> used;
  std::size_t server = 0;
  for (std::size_t leaf = 0; leaf < tree.num_leaves(); ++leaf)
    for (std::uint32_t i = 0; i < tree.servers[leaf]; ++i, ++server)
      for (std::uint32_t phase = 0; phase < plan.phases; ++phase)
        if (const Slot& slot = plan.slots[server * plan.phases + phase];
            slot.destination != Slot::kIdle && slot.spine < tree.num_spines)
          used.emplace(leaf, slot.destination, slot.spine);
  std::size_t most = 0;
  std::size_t run = 0;
  std::pair<std::size_t, std::uint32_t> last{~std::size_t{0}, 0};
  for (const auto& [leaf, destination, spine] : used) {
    run = std::exchange(last, std::pair(leaf, destination)) == std::pair(leaf, destination) ? run + 1 : 1;
    most = std::max(most, run);
  }
  return most;
}

TEST(Grains, AreWhatDividesEveryLeafAndTheFullestLeaf) {
  EXPECT_THAT(possible_grains(LeafSpine({20, 20}, 1)), ::testing::ElementsAre(20, 10, 5, 4, 2, 1));
  EXPECT_THAT(possible_grains(LeafSpine({6, 4}, 1)), ::testing::ElementsAre(6, 2, 1));
}

TEST(ExchangePlan, OfAWholeTreeNeedsOneLidAndAPhasePerServer) {
  const LeafSpine tree({4, 4, 4, 4, 4}, 4);
  const auto plan = plan_exchange(tree, 1);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->phases, 20U);
  EXPECT_EQ(most_spines_per_server(tree, *plan), 1U);
  EXPECT_EQ(test::fault_of(tree, plan->slots, plan->phases), "");
}

TEST(ExchangePlan, OfOneLeafTakesTurns) {
  const LeafSpine tree({7}, 0);
  const auto plan = plan_exchange(tree, 1);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->phases, 7U);
  EXPECT_EQ(test::fault_of(tree, plan->slots, plan->phases), "");
}

TEST(ExchangePlan, OneFailedCableOfTheDaqTreeCostsNothingAtLmcZero) {
  LeafSpine tree(std::vector<std::uint32_t>(18, 20), 20);
  tree.cut(0, 0);
  const auto plan = plan_exchange(tree, 1);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->phases, 360U);
  EXPECT_EQ(most_spines_per_server(tree, *plan), 1U);
  EXPECT_EQ(test::fault_of(tree, plan->slots, plan->phases), "");
}

TEST(ExchangePlan, MeetsTheBoundUnderDamageWithFourLids) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const LeafSpine tree = test::damaged_tree(9, 8, 8, seed, seed);
    if (!test::all_pairs_joined(tree)) continue;
    SCOPED_TRACE(seed);
    const auto plan = plan_exchange(tree, 4);
    ASSERT_TRUE(plan);
    EXPECT_EQ(test::fault_of(tree, plan->slots, plan->phases), "");
    EXPECT_LE(plan->phases, phase_bound(tree).phases() + 1);
    EXPECT_LE(most_spines_per_server(tree, *plan), 4U);
  }
}

// 326 servers scattered over FT(2;20,18): one LID costs a twentieth of the bound, two a hundredth, and one missing server
// nothing.
TEST(ExchangePlan, OfScatteredServersNeedsFewPhasesMoreWithOneLidOrTwo) {
  for (std::uint64_t seed = 1001; seed <= 1005; ++seed)
    for (const std::size_t missing : {1U, 34U}) {
      std::vector<std::uint32_t> servers(18, 20);
      std::vector<std::size_t> places(360);
      std::iota(places.begin(), places.end(), std::size_t{0});
      for (const std::size_t place : RandomOrder(seed, "empty places").front(places, missing)) --servers[place / 20];
      const LeafSpine tree(servers, 20);
      const auto plan = plan_exchange(tree, 1);
      ASSERT_TRUE(plan);
      EXPECT_EQ(test::fault_of(tree, plan->slots, plan->phases), "") << "seed " << seed;
      EXPECT_EQ(most_spines_per_server(tree, *plan), 1U);
      EXPECT_LE(plan->phases, phase_bound(tree).phases() * 105 / 100) << "seed " << seed << ", missing " << missing;
      const auto of_two = plan_exchange(tree, 2);
      ASSERT_TRUE(of_two);
      EXPECT_EQ(test::fault_of(tree, of_two->slots, of_two->phases), "") << "seed " << seed;
      EXPECT_LE(most_spines_per_server(tree, *of_two), 2U);
      EXPECT_LE(of_two->phases, phase_bound(tree).phases() * 101 / 100) << "seed " << seed << ", missing " << missing;
    }
}

TEST(ExchangePlan, OfVeryUnequalLeavesIsWholeWithOneLid) {
  for (const auto& servers : {std::vector<std::uint32_t>{8, 1, 3, 0, 5}, {1, 1, 6}, {2, 7, 7, 4}, {0, 3, 0}}) {
    const LeafSpine tree(servers, 8);
    const auto plan = plan_exchange(tree, 1);
    ASSERT_TRUE(plan);
    EXPECT_EQ(test::fault_of(tree, plan->slots, plan->phases), "");
    EXPECT_EQ(most_spines_per_server(tree, *plan), tree.num_servers() > 3 ? 1U : 0U);
  }
}

TEST(ExchangePlan, OfOneLidRoundsUpToBlocks) {
  const LeafSpine tree = test::damaged_tree(18, 20, 20, 9, 1);
  const auto plan = plan_exchange(tree, 1);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->phases % 20, 0U);
  EXPECT_EQ(plan->phases, (phase_bound(tree).phases() + 19) / 20 * 20);
  EXPECT_EQ(test::fault_of(tree, plan->slots, plan->phases), "");
}

TEST(ExchangePlan, UnevenLeavesMeetTheBound) {
  std::vector<std::uint32_t> servers(18, 18);
  servers[3] = servers[9] = 19;
  LeafSpine tree(servers, 20);
  for (std::size_t spine = 0; spine < 3; ++spine) tree.cut(0, spine);
  const auto plan = plan_exchange(tree, 32);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->phases, 327U);
  EXPECT_EQ(plan->phases, phase_bound(tree).phases());
  EXPECT_EQ(test::fault_of(tree, plan->slots, plan->phases), "");
}

TEST(ExchangePlan, TakesPairsOfLeavesWithoutACommonSpineOverAHub) {
  // Leaves 0 and 1 share nothing; leaf 2 has all spines.
  LeafSpine tree({4, 4, 4, 4}, 4);
  for (const std::size_t s : {0U, 1U}) tree.cut(0, s);
  for (const std::size_t s : {2U, 3U}) tree.cut(1, s);
  const auto plan = plan_exchange(tree, 8, 2);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->phases, phase_bound(tree).phases());
  ASSERT_EQ(plan->detours.size(), 2U);
  std::set<std::pair<std::uint32_t, std::uint32_t>> detoured;
  for (std::uint32_t phase = 0; phase < plan->phases; ++phase) {
    std::set<std::tuple<char, std::uint32_t, std::uint32_t>> links;
    for (std::uint32_t s = 0; s < 16; ++s) {
      const Slot& slot = plan->slots[s * plan->phases + phase];
      if (slot.destination == Slot::kIdle || slot.spine == tree.num_spines) continue;
      const std::uint32_t from = s / 4;
      const std::uint32_t to = slot.destination / 4;
      if (slot.spine < tree.num_spines) {
        EXPECT_TRUE(links.emplace('u', from, slot.spine).second && links.emplace('d', to, slot.spine).second);
        continue;
      }
      const Detour& detour = plan->detours[slot.spine - tree.num_spines - 1];
      EXPECT_EQ(detour.from, from);
      EXPECT_EQ(detour.to, to);
      EXPECT_TRUE(links.emplace('u', from, detour.first_spine).second);
      EXPECT_TRUE(links.emplace('d', 2, detour.first_spine).second);
      EXPECT_TRUE(links.emplace('u', 2, detour.second_spine).second);
      EXPECT_TRUE(links.emplace('d', to, detour.second_spine).second);
      EXPECT_TRUE(detoured.emplace(s, slot.destination).second);
    }
  }
  EXPECT_EQ(detoured.size(), 2U * 16U);
}

TEST(ExchangePlan, LeavesOutPairsOfLeavesWithoutACommonSpine) {
  LeafSpine tree({2, 2, 2}, 2);
  tree.cut(0, 0);
  tree.cut(1, 1);
  const auto plan = plan_exchange(tree, 2);
  ASSERT_TRUE(plan);
  EXPECT_EQ(test::fault_of(tree, plan->slots, plan->phases), "");
  for (std::uint32_t phase = 0; phase < plan->phases; ++phase)
    EXPECT_THAT(plan->slots[phase].destination, ::testing::AnyOf(0U, 1U, 4U, 5U, Slot::kIdle));
}

}  // namespace
}  // namespace espalier
