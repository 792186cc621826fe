// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/detours/turns.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <ranges>

#include "core/analysis/soundness/verify.h"
#include "core/engines/detours/complete_tables.h"
#include "core/fabric/faults.h"
#include "tests/engines/steps.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

using test::draw;
using test::Steps;

TEST(Turns, JoinWhatNoSingleSubtreeCould) {
  Steps steps(draw("L0:1 L1:1 L2:1 S0 S1 S2; L0-S0 L0-S1 L1-S1 L1-S2 L2-S2 L2-S0"));
  ASSERT_TRUE(route_by_turns(steps.problem, steps.tables).empty());
  EXPECT_TRUE(verify(steps.fabric, steps.tables).ok());
}

TEST(Turns, GiveSoundTablesWhereTheSubtreeWouldDoToo) {
  Steps steps(test::pgft("3;2,3,3;1,3,2;1,1,1", 1));
  ASSERT_TRUE(route_by_turns(steps.problem, steps.tables).empty());
  EXPECT_TRUE(verify(steps.fabric, steps.tables).ok());
}

// Four pods of four leaves and four middles, each of them a plane; A has the middles of planes 0 and 1 alone, B those of 2
// and 3: their hosts have no up-down path to each other.
Fabric with_pods_that_share_no_plane() {
  std::string nodes = "T0 T1 T2 T3", links;
  for (const std::string_view pod : {"A", "B", "C", "D"}) {
    for (int leaf = 0; leaf < 4; ++leaf) nodes += fmt::format(" {}L{}:4", pod, leaf);
    for (int m = pod == "B" ? 2 : 0; m < (pod == "A" ? 2 : 4); ++m) {
      nodes += fmt::format(" {}M{}", pod, m);
      for (int leaf = 0; leaf < 4; ++leaf) links += fmt::format(" {0}L{1}-{0}M{2}", pod, leaf, m);
      links += fmt::format(" {}M{}-T{}", pod, m, m);
    }
  }
  return draw(nodes + ";" + links);
}

// Flows of hosts of pod A to those of pod B on the fullest channel between switches, all to all.
std::size_t most_flows_from_a_to_b(const Fabric& fabric, const ForwardingTables& tables) {
  std::map<ChannelId, std::size_t> flows;
  for (const SwitchId from : fabric.switches()) {
    if (!fabric.at(from).description.starts_with("AL")) continue;
    for (const EndportId e : fabric.endports()) {
      if (!fabric.at(fabric.at(e).leaf).description.starts_with("BL")) continue;
      for (SwitchId at = from; at != fabric.at(e).leaf;) {
        const PortNum out = tables.at(at, fabric.at(e).lid);
        flows[fabric.channel(at, out)] += 4;  // one from each host of the leaf
        at = fabric.peer(at, out).as_switch();
      }
    }
  }
  return std::ranges::max(flows | std::views::values);
}

TEST(Turns, SpreadHostsOverAllPlanesThatTheyHave) {
  const Steps steps(with_pods_that_share_no_plane());
  ASSERT_GT(count_unreached_hosts(steps.problem), 0U);
  ForwardingTables as_switches = steps.tables, spread = steps.tables;
  ASSERT_TRUE(route_by_turns(steps.problem, as_switches).empty());
  ASSERT_TRUE(spread_over_turns(steps.problem, spread, {.attempts = 1}));
  EXPECT_TRUE(verify(steps.fabric, spread).ok());
  EXPECT_EQ(most_flows_from_a_to_b(steps.fabric, as_switches), 16U * 16);
  EXPECT_EQ(most_flows_from_a_to_b(steps.fabric, spread), 16U * 16 / 2) << "two planes have a link each";
}

// Where hosts' detours cannot be spread, pairs are joined as before.
TEST(Turns, SpreadOrElseChangeNothing) {
  std::size_t spread_count = 0, failed = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Steps steps(*degrade(test::pgft("3;4,4,6;1,4,3;1,1,1"), {.switches = 17, .seed = seed}));
    if (count_unreached_hosts(steps.problem) == 0) continue;
    ForwardingTables tables = steps.tables;
    if (!spread_over_turns(steps.problem, tables, {.attempts = 1})) {
      EXPECT_EQ(tables, steps.tables) << "seed " << seed;
      ++failed;
      continue;
    }
    ++spread_count;
    EXPECT_TRUE(verify(steps.fabric, tables).ok()) << "seed " << seed;
  }
  EXPECT_GT(spread_count, 0U);
  EXPECT_GT(failed, 0U) << "nothing was put back";
}

TEST(Turns, EndWhenNoStepsAreLeft) {
  Steps steps(test::damaged("3;4,4,4;1,4,4;1,1,1", 30, 3));
  ForwardingTables tables = steps.tables;
  std::uint64_t left = 5;
  EXPECT_FALSE(route_by_turns(steps.problem, tables, {.steps = &left}).empty());
  EXPECT_EQ(left, 0U);
  left = std::uint64_t{1} << 40;
  tables = steps.tables;
  EXPECT_TRUE(route_by_turns(steps.problem, tables, {.steps = &left}).empty());
  ForwardingTables without_limit = steps.tables;
  EXPECT_TRUE(route_by_turns(steps.problem, without_limit).empty());
  EXPECT_EQ(tables, without_limit);
}

}  // namespace
}  // namespace espalier
