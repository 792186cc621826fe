// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Static tables, tables that change in the middle of a run, and transfers in phases.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/packets/run.h"
#include "core/packets/traffic/flows.h"
#include "core/packets/traffic/sources.h"
#include "core/packets/traffic/transfers.h"
#include "tests/packets/ring.h"

namespace espalier::packets::test {
namespace {

// All nodes to their clockwise neighbor, one hop; the other way round it is three.
RunResult run_to_neighbor(Ring& ring, Cycle change_at, Cycle change_over) {
  ring.inputs.next_tables = &ring.back;
  ring.inputs.change_at = change_at;
  ring.inputs.change_over = change_over;
  const auto policy = *make_policy("tables", ring.inputs);
  auto flows = std::make_shared<Flows>(4);
  for (Node n = 0; n < 4; ++n) flows->add(n, (n + 1) % 4);
  Load load(flows, 0.1, ring.parameters.packet_phits);
  Simulator simulator(ring.network, ring.parameters, *policy, load, 1002);
  return run(simulator, {.warmup = 5000, .cycles = 20000}, 0);
}

TEST(Tables, ThatChangeAreFollowedFromThenOn) {
  Ring ring;
  EXPECT_DOUBLE_EQ(run_to_neighbor(ring, 100'000, 0).hops.mean, 1);
  EXPECT_DOUBLE_EQ(run_to_neighbor(ring, 1000, 0).hops.mean, 3);
  const RunResult half = run_to_neighbor(ring, 15'000, 0);
  EXPECT_NEAR(half.hops.mean, 2, 0.1);
  EXPECT_EQ(half.undelivered, 0U);
}

// Old and new routes mixed: packets go to and fro between switches that have changed and those that have not. If that
// takes long enough, they fill the queues of both directions, and nothing moves any more.
TEST(Tables, ThatChangeOneByOneMixOldAndNewRoutes) {
  Ring ring;
  const RunResult quick = run_to_neighbor(ring, 10'000, 40);
  EXPECT_FALSE(quick.deadlock);
  EXPECT_GT(quick.hops.mean, 2);
  EXPECT_TRUE(run_to_neighbor(ring, 1000, 1000).deadlock);
}

// Switch 1 has an old entry for node 2: it leads to its own node, which takes nothing that is not for it.
TEST(Tables, ThatLeadToAnotherNodeDoNotDeliver) {
  Ring ring;
  ring.clockwise.set(SwitchId{1}, ring.inputs.lids[2], PortNum{1});
  const auto policy = *make_policy("tables", ring.inputs);
  Transfers transfers({{{0, 2, 0, 10}, {0, 1, 0, 5}}}, 4, Transfers::Order::kBarriers);
  Simulator simulator(ring.network, ring.parameters, *policy, transfers, 1004);
  const RunResult result = run(simulator, {.cycles = 100'000}, transfers.total());
  EXPECT_TRUE(result.finished);
  EXPECT_EQ(result.delivered, 5U);
  EXPECT_EQ(result.undelivered, 10U);
}

RunResult run_transfers(const std::vector<std::vector<PacketTransfer>>& phases, Transfers::Order order) {
  Ring ring;
  const auto policy = *make_policy("tables", ring.inputs);
  Transfers transfers(phases, 4, order);
  Simulator simulator(ring.network, ring.parameters, *policy, transfers, 1003);
  return run(simulator, {.cycles = 100'000}, transfers.total());
}

// Node 0 sends 100 packets in the first phase, node 2 in the second: with a barrier one after the other.
TEST(Transfers, WaitForThePhaseBeforeWithBarriers) {
  const std::vector<std::vector<PacketTransfer>> phases = {{}, {{0, 1, 0, 100}}, {}, {{2, 3, 0, 100}}};
  const RunResult barriers = run_transfers(phases, Transfers::Order::kBarriers);
  const RunResult messages = run_transfers(phases, Transfers::Order::kMessages);
  ASSERT_TRUE(barriers.finished && messages.finished);
  EXPECT_EQ(barriers.delivered, 200U);
  EXPECT_EQ(messages.delivered, 200U);
  EXPECT_GE(messages.cycles, 800U);  // 100 packets of 8 phits
  EXPECT_GE(barriers.cycles, 2 * messages.cycles - 2);
}

// Message by message: a node's next transfer begins when the one before has arrived, so each takes the time of its path.
TEST(Transfers, MessageByMessageWaitForArrival) {
  std::vector<std::vector<PacketTransfer>> phases(50, {{0, 1, 0, 1}});
  const RunResult messages = run_transfers(phases, Transfers::Order::kMessages);
  const RunResult stream = run_transfers({{{0, 1, 0, 50}}}, Transfers::Order::kMessages);
  ASSERT_TRUE(messages.finished && stream.finished);
  EXPECT_GE(messages.cycles, stream.cycles + 49);  // at least a cycle on each path
}

}  // namespace
}  // namespace espalier::packets::test
