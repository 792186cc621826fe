// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/schedule/exchanges/traffic_plan.h"

#include <gmock/gmock.h>

#include <map>
#include <random>
#include <set>

#include "core/schedule/exchanges/ring_schedule.h"
#include "tests/schedule/random_damage.h"

namespace espalier {
namespace {

std::vector<ServerDemand> random_demand(std::uint32_t servers, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<ServerDemand> demand;
  for (std::uint32_t s = 0; s < servers; ++s)
    for (std::uint32_t d = 0; d < servers; ++d)
      if (s != d && random() % 3 == 0) demand.push_back({s, d, static_cast<std::uint32_t>(1 + random() % 3)});
  return demand;
}

TEST(TrafficPlan, SendsEveryMessageOnceOrLeavesItOver) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    const LeafSpine tree = test::damaged_tree(6, 5, 5, seed, seed);
    const auto demand = random_demand(30, seed);
    const TrafficPlan plan = plan_traffic(tree, demand, 1 + seed % 4);
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> left;
    for (const ServerDemand& d : demand) left[{d.from, d.to}] = d.count;
    for (const auto& [from, to] : plan.left_over) --left[{from, to}];
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::set<std::uint32_t>> spines;  // per leaf and destination
    for (std::uint32_t phase = 0; phase < plan.exchange.phases; ++phase) {
      std::set<std::uint32_t> receivers;
      std::set<std::tuple<char, std::uint32_t, std::uint32_t>> links;
      for (std::uint32_t s = 0; s < 30; ++s) {
        const Slot& slot = plan.exchange.slots[s * plan.exchange.phases + phase];
        if (slot.destination == Slot::kIdle) continue;
        --left[{s, slot.destination}];
        spines[{s / 5, slot.destination}].insert(slot.spine);
        EXPECT_TRUE(receivers.insert(slot.destination).second);
        EXPECT_TRUE(tree.joined(s / 5, slot.spine) && tree.joined(slot.destination / 5, slot.spine));
        EXPECT_TRUE(links.emplace('u', s / 5, slot.spine).second);
        EXPECT_TRUE(links.emplace('d', slot.destination / 5, slot.spine).second);
      }
    }
    for (const auto& [pair, count] : left) EXPECT_EQ(count, 0U);
    for (const auto& [pair, used] : spines) EXPECT_LE(used.size(), 1 + seed % 4);
  }
}

TEST(TrafficPlan, OfAnIntactTreeLeavesOverOnlyWhatStaysWithinLeaves) {
  const LeafSpine tree(std::vector<std::uint32_t>(6, 5), 5);
  const auto demand = random_demand(30, 7);
  const TrafficPlan plan = plan_traffic(tree, demand, 5);
  for (const auto& [from, to] : plan.left_over) EXPECT_EQ(from / 5, to / 5);
  EXPECT_EQ(plan.exchange.phases, plan.bound);
}

TEST(TrafficPlan, KnowsWhyNoScheduleIsShorter) {
  LeafSpine tree({2, 2}, 2);
  EXPECT_EQ(plan_traffic(tree, {}, 1).bound, 0U);
  EXPECT_EQ(plan_traffic(tree, {{0, 2, 3}, {1, 2, 2}}, 1).bound, 5U);  // a server receives 5
  EXPECT_EQ(plan_traffic(tree, {{0, 2, 3}, {0, 1, 1}}, 1).bound, 4U);  // a server sends 4
  tree.cut(0, 0);
  EXPECT_EQ(plan_traffic(tree, {{0, 2, 3}, {1, 3, 3}}, 1).bound, 6U);  // over one link
}

// Servers 0, 1, 2 with these sends in each of two phases.
Schedule schedule_of(const std::vector<std::uint32_t>& to) {
  Schedule schedule;
  schedule.phases = 2;
  for (std::uint64_t s = 1; s <= 3; ++s) schedule.servers.push_back(Guid{s});
  for (const std::uint32_t d : to) schedule.sends.push_back({d, Lid{1}});
  return schedule;
}

TEST(AllGather, IsARingInWhichNobodySendsWhatItDoesNotHave) {
  constexpr std::uint32_t kRests = Send::kIdle;
  EXPECT_EQ(allgather_fault(schedule_of({1, 1, 2, 2, 0, 0})), "");
  EXPECT_EQ(allgather_fault(Schedule{}), "");
  EXPECT_EQ(allgather_fault(schedule_of({1, 1, 0, 0, 0, 0})), "the servers do not form a ring");
  EXPECT_EQ(allgather_fault(schedule_of({1, 1, 2, 2, 0, kRests})), "0x0000000000000001 receives 1 block of 2");
  // Server 2 rests first: in phase 1 server 0 has nothing but its own block, which it has sent.
  EXPECT_EQ(allgather_fault(schedule_of({1, 1, 2, 2, kRests, 0})),
            "phase 1: 0x0000000000000001 has nothing to send to 0x0000000000000002");
  EXPECT_EQ(allgather_fault(schedule_of({1, 2, 2, 2, 0, 0})),
            "phase 1: 0x0000000000000001 has nothing to send to 0x0000000000000003");
}

}  // namespace
}  // namespace espalier
