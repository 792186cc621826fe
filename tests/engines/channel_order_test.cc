// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/detours/channel_order.h"

#include <gtest/gtest.h>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/topological_sort.hpp>
#include <iterator>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "core/tree/rank.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

using test::draw;
using test::pgft;
using test::switch_named;

struct Square {
  Fabric fabric = draw("L0:1 L1:1 S0 S1; L0-S0 L0-S1 L1-S0 L1-S1");
  FatTree tree = *rank(fabric);
  SwitchId l0 = switch_named(fabric, "L0"), l1 = switch_named(fabric, "L1");
  SwitchId s0 = switch_named(fabric, "S0"), s1 = switch_named(fabric, "S1");

  [[nodiscard]] PortNum port(SwitchId from, SwitchId to) const {
    for (const PortNum p : fabric.ports(from))
      if (const Peer peer = fabric.peer(from, p); peer.is_switch() && peer.as_switch() == to) return p;
    return kNoPort;
  }
  [[nodiscard]] ChannelId channel(SwitchId from, SwitchId to) const { return fabric.channel(from, port(from, to)); }
};

// L0 and L1 below S0 and S1: turns at L0 in both directions are fine, but then L1 can have none from S0 to S1 and back
// only if no packet closes the ring S0, L0, S1, L1.
TEST(ChannelOrder, RefusesTheDependencyThatClosesACycleAndForgetsIt) {
  const Square q;
  ChannelOrder order(q.tree);
  EXPECT_TRUE(order.insert(q.channel(q.s0, q.l0), q.port(q.l0, q.s1)));
  EXPECT_TRUE(order.insert(q.channel(q.l0, q.s1), q.port(q.s1, q.l1)));
  EXPECT_TRUE(order.insert(q.channel(q.s1, q.l1), q.port(q.l1, q.s0)));
  EXPECT_FALSE(order.insert(q.channel(q.l1, q.s0), q.port(q.s0, q.l0)));
  EXPECT_FALSE(order.has(q.channel(q.l1, q.s0), q.port(q.s0, q.l0)));
  EXPECT_TRUE(order.insert(q.channel(q.s1, q.l0), q.port(q.l0, q.s0))) << "the other way round is still free";
}

TEST(ChannelOrder, AllowsAllOfSomeDependenciesOrNone) {
  const Square q;
  ChannelOrder order(q.tree);
  EXPECT_TRUE(order.insert_all({{q.channel(q.s0, q.l0), q.channel(q.l0, q.s1)}}));
  EXPECT_FALSE(order.insert_all({{q.channel(q.s0, q.l0), q.channel(q.l0, q.s1)},
                                 {q.channel(q.l0, q.s1), q.channel(q.s1, q.l1)},
                                 {q.channel(q.s1, q.l1), q.channel(q.l1, q.s0)},
                                 {q.channel(q.l1, q.s0), q.channel(q.s0, q.l0)}}));
  EXPECT_TRUE(order.has(q.channel(q.s0, q.l0), q.port(q.l0, q.s1))) << "it was allowed before";
  EXPECT_FALSE(order.has(q.channel(q.l0, q.s1), q.port(q.s1, q.l1)));
  EXPECT_FALSE(order.has(q.channel(q.s1, q.l1), q.port(q.l1, q.s0)));
  EXPECT_FALSE(order.has(q.channel(q.l1, q.s0), q.port(q.s0, q.l0)));
}

TEST(ChannelOrder, LetsLeavesChangePlacesWhereNothingForbidsIt) {
  const Square q;
  const std::vector<std::pair<ChannelId, ChannelId>> both{{q.channel(q.l0, q.s0), q.channel(q.l1, q.s0)},
                                                          {q.channel(q.s0, q.l0), q.channel(q.s0, q.l1)},
                                                          {q.channel(q.l0, q.s1), q.channel(q.l1, q.s1)},
                                                          {q.channel(q.s1, q.l0), q.channel(q.s1, q.l1)}};
  ChannelOrder order(q.tree);
  EXPECT_TRUE(order.insert(q.channel(q.s0, q.l0), q.port(q.l0, q.s1)));
  EXPECT_FALSE(order.exchange(both)) << "L0 still turns";
  order.retract(q.channel(q.s0, q.l0), q.port(q.l0, q.s1));
  EXPECT_TRUE(order.exchange(both));
  EXPECT_TRUE(order.insert(q.channel(q.s0, q.l1), q.port(q.l1, q.s1)));
  EXPECT_TRUE(order.insert(q.channel(q.l1, q.s1), q.port(q.s1, q.l0)));
  EXPECT_TRUE(order.insert(q.channel(q.s1, q.l0), q.port(q.l0, q.s0)));
  EXPECT_FALSE(order.insert(q.channel(q.l0, q.s0), q.port(q.s0, q.l1))) << "it would close the ring";
}

using Dependencies = std::set<std::pair<ChannelId, ChannelId>>;

bool has_cycle(const Dependencies& dependencies, std::size_t num_channels) {
  boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS> graph(num_channels);
  for (const auto& [in, out] : dependencies) boost::add_edge(index(in), index(out), graph);
  std::vector<std::size_t> sorted;
  try {
    boost::topological_sort(graph, std::back_inserter(sorted));
  } catch (const boost::not_a_dag&) {
    return true;
  }
  return false;
}

// All steps from a channel to another, U-turns excepted.
std::vector<ChannelOrder::Dependency> steps_of(const Fabric& fabric) {
  std::vector<ChannelOrder::Dependency> steps;
  for (const ChannelId in : IdRange<ChannelId>(fabric.num_channels())) {
    if (!fabric.peer(in).is_switch()) continue;
    const SwitchId s = fabric.peer(in).as_switch();
    for (const PortNum p : fabric.ports(s)) {
      const Peer peer = fabric.peer(s, p);
      if (peer.is_switch() && peer.as_switch() != fabric.source(in)) steps.push_back({in, fabric.channel(s, p)});
    }
  }
  return steps;
}

// Boost's topological sort is the witness, also for what is left when some are taken back.
TEST(ChannelOrder, AllowsJustWhatClosesNoCycle) {
  const Fabric fabric = pgft("3;3,3,4;1,2,2;1,1,1");
  const FatTree tree = *rank(fabric);
  const std::vector<ChannelOrder::Dependency> steps = steps_of(fabric);
  std::size_t refused = 0, allowed = 0;
  for (std::uint32_t seed = 1; seed <= 30; ++seed) {
    std::mt19937 random(seed);
    ChannelOrder order(tree);
    Dependencies known;
    for (int round = 0; round < 60; ++round) {
      std::vector<ChannelOrder::Dependency> batch;
      for (std::size_t n = 1 + random() % 5; n > 0; --n) batch.push_back(steps[random() % steps.size()]);
      Dependencies with_batch = known;
      for (const auto& d : batch) with_batch.emplace(d.in, d.out);
      const bool closes = has_cycle(with_batch, fabric.num_channels());
      const bool is_in =
          batch.size() == 1 ? order.insert(batch[0].in, fabric.port(batch[0].out)) : order.insert_all(batch);
      ASSERT_NE(is_in, closes) << "seed " << seed << ", round " << round;
      (closes ? refused : allowed) += 1;
      if (is_in) known = with_batch;
      if (!known.empty() && random() % 8 == 0) {
        const auto gone = std::next(known.begin(), static_cast<std::ptrdiff_t>(random() % known.size()));
        order.retract(gone->first, fabric.port(gone->second));
        known.erase(gone);
      }
      for (const auto& d : steps) ASSERT_EQ(order.has(d.in, fabric.port(d.out)), known.contains({d.in, d.out}));
    }
  }
  EXPECT_GT(refused, 100U);
  EXPECT_GT(allowed, 500U);
}

}  // namespace
}  // namespace espalier
