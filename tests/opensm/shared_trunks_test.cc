// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Multicast beside unicast on lanes: one tree for all groups closes no loop, two can; else it has a lane of its own.
#include "plugin/multicast/shared_trunks.h"

#include <gtest/gtest.h>

#include "core/analysis/soundness/dependencies/credit_loop.h"
#include "core/analysis/soundness/dependencies/multicast_dependencies.h"
#include "core/analysis/soundness/verify.h"
#include "core/engines/engines.h"
#include "core/tree/rank.h"
#include "plugin/multicast/group_levels.h"
#include "plugin/multicast/own_lane.h"
#include "plugin/multicast/sound_trunk.h"
#include "tests/opensm/other_way_round.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

void expect_sound_multicast(const Fabric& fabric, std::string_view engine) {
  const FatTree tree = rank(fabric).value();
  const Routing routing = make_engine(engine, {})->route(tree).value();
  ASSERT_TRUE(routing.lanes.has_value());
  const IdVector<SwitchId, McastSupport> support(fabric.num_switches(), McastSupport::kYes);
  const SharedTrunks shared = share_trunks(tree, {fabric, routing.tables, *routing.lanes}, *routing.lanes, support);
  EXPECT_TRUE(shared.unsound.empty()) << engine;
  ASSERT_EQ(shared.by_component.size(), 1U);
  for (const SwitchId s : fabric.switches()) EXPECT_TRUE(shared.by_component.begin()->second.contains(s));
}

TEST(SharedTrunks, close_no_loop_with_unicast_on_dragonflies) {
  expect_sound_multicast(test::generated("dragonfly", "2,4,2,9", 0), "dragonfly");
  expect_sound_multicast(test::generated("dragonfly", "2,4,2,9", 2), "dragonfly-rlm");
  expect_sound_multicast(test::generated("dragonfly", "3,6,3,19", 0), "dragonfly");
}

void add_multicast(const Fabric& fabric, const Lanes& lanes, const Trunk& trunk, std::uint8_t sl,
                   ChannelDependencies& graph) {
  for (const MulticastStep& step : multicast_steps(fabric, lanes, links_of(fabric, trunk), sl))
    graph.add(step.from, step.vl, step.port, step.next_vl);
}

bool closes_loop(const Fabric& fabric, const Routing& routing, const Trunk& trunk) {
  ChannelDependencies graph(fabric, routing.tables, *routing.lanes);
  add_multicast(fabric, *routing.lanes, trunk, 0, graph);
  return !find_virtual_credit_loop(graph).empty();
}

// With eight routers in a group shortest trees turn in the root's group as the parity-sign rule forbids.
TEST(SharedTrunks, grow_around_loops_where_shortest_trees_close_them) {
  const Fabric fabric = test::generated("dragonfly", "4,8,4,33", 3);
  const FatTree tree = rank(fabric).value();
  const Routing routing = make_engine("dragonfly-rlm", {})->route(tree).value();
  const IdVector<SwitchId, McastSupport> support(fabric.num_switches(), McastSupport::kYes);
  EXPECT_TRUE(closes_loop(fabric, routing, grow_shortest_trunk(tree, SwitchId{0}, support)));
  const ChannelDependencies unicast(fabric, routing.tables, *routing.lanes);
  const Trunk trunk = TrunksBesideUnicast(fabric, *routing.lanes, unicast, 0).grow(SwitchId{0}, support);
  EXPECT_EQ(links_of(fabric, trunk).size(), fabric.num_switches() - 1);
  EXPECT_FALSE(closes_loop(fabric, routing, trunk));
}

// Link by link, with all dependencies counted anew for each.
Trunk plainly_grown(const Fabric& fabric, const Routing& routing, SwitchId root) {
  Trunk trunk{root, IdVector<SwitchId, Trunk::Step>(fabric.num_switches())};
  std::vector<SwitchId> queue{root};
  for (std::size_t i = 0; i < queue.size(); ++i)
    for (const PortNum p : fabric.ports(queue[i])) {
      const Peer& peer = fabric.peer(queue[i], p);
      if (!peer.is_switch() || trunk.contains(peer.as_switch())) continue;
      trunk.steps[peer.as_switch()] = {queue[i], peer.port, p};
      if (closes_loop(fabric, routing, trunk))
        trunk.steps[peer.as_switch()] = {};
      else
        queue.push_back(peer.as_switch());
    }
  return trunk;
}

void expect_grown_as_plainly(const Fabric& fabric, std::string_view engine, bool others_first) {
  const FatTree tree = rank(fabric).value();
  Routing routing = make_engine(engine, {})->route(tree).value();
  if (others_first) routing.lanes = test::other_way_round(*routing.lanes);
  const IdVector<SwitchId, McastSupport> support(fabric.num_switches(), McastSupport::kYes);
  const ChannelDependencies unicast(fabric, routing.tables, *routing.lanes);
  const SwitchId root = id_at<SwitchId>(fabric.num_switches() / 2);
  const TrunksBesideUnicast trunks(fabric, *routing.lanes, unicast, 0);
  const Trunk trunk = trunks.grow(root, support);
  EXPECT_TRUE(trunks.is_sound(trunk));
  EXPECT_EQ(links_of(fabric, trunk), links_of(fabric, plainly_grown(fabric, routing, root)));
}

TEST(SharedTrunks, are_sound_where_all_dependencies_have_no_cycle) {
  for (const std::uint64_t seed : {7, 8, 9}) {
    const Fabric fabric = test::generated("jellyfish", "40,7,2", 0, seed);
    const FatTree tree = rank(fabric).value();
    Routing routing = make_engine("layers", {})->route(tree).value();
    routing.lanes = test::other_way_round(*routing.lanes);
    const IdVector<SwitchId, McastSupport> support(fabric.num_switches(), McastSupport::kYes);
    const ChannelDependencies unicast(fabric, routing.tables, *routing.lanes);
    const TrunksBesideUnicast trunks(fabric, *routing.lanes, unicast, 0);
    for (const SwitchId root : fabric.switches()) {
      const Trunk trunk = grow_shortest_trunk(tree, root, support);
      ASSERT_EQ(trunks.is_sound(trunk), !closes_loop(fabric, routing, trunk)) << seed;
    }
  }
}

TEST(SharedTrunks, grow_by_each_link_that_closes_no_loop) {
  expect_grown_as_plainly(test::generated("dragonfly", "2,4,2,9", 3), "dragonfly-rlm", false);
  expect_grown_as_plainly(test::generated("dragonfly", "2,4,2,9"), "dragonfly", false);
  expect_grown_as_plainly(test::generated("torus", "5,5,3,1"), "layers", true);
  expect_grown_as_plainly(test::generated("jellyfish", "60,8,2", 0, 7), "layers", true);
  expect_grown_as_plainly(test::generated("jellyfish", "60,8,2", 0, 7), "layers", false);
}

// Where routes that keep to dimensions leave lanes, so that others fill them.
TEST(SharedTrunks, have_room_on_a_lane_that_layers_fills) {
  const Fabric fabric = test::generated("torus", "8,8,4,1");
  const FatTree tree = rank(fabric).value();
  const Routing routing = make_engine("layers", {})->route(tree).value();
  const IdVector<SwitchId, McastSupport> support(fabric.num_switches(), McastSupport::kYes);
  EXPECT_FALSE(closes_loop(fabric, routing, grow_shortest_trunk(tree, SwitchId{0}, support)));
}

TEST(SharedTrunks, leave_multicast_a_lane_of_its_own_where_no_tree_is_sound) {
  const Fabric fabric = test::generated("torus", "5,5,3,1");
  const FatTree tree = rank(fabric).value();
  const Routing routing = make_engine("layers", {})->route(tree).value();
  const IdVector<SwitchId, McastSupport> support(fabric.num_switches(), McastSupport::kYes);
  EXPECT_TRUE(share_trunks(tree, {fabric, routing.tables, *routing.lanes}, *routing.lanes, support).unsound.empty());
  const Lanes lanes = test::other_way_round(*routing.lanes);
  EXPECT_EQ(share_trunks(tree, {fabric, routing.tables, lanes}, lanes, support).unsound.size(), 1U);
  const unsigned vls = lanes.num_vls();
  EXPECT_FALSE(with_own_lane(lanes, vls).has_value());
  const OwnLane own = with_own_lane(lanes, vls + 1).value();
  EXPECT_EQ(own.vl, vls);
  EXPECT_TRUE(verify(fabric, routing.tables, own.lanes).ok());
  EXPECT_EQ(own.lanes.levels().used() & 1U, 0U);
  EXPECT_EQ(own.lanes.num_vls(), vls);  // of unicast
  for (const SwitchId s : fabric.switches())
    for (std::size_t in = 0; in <= fabric.at(s).num_ports; ++in)
      for (const PortNum out : fabric.ports(s)) {
        const VlsBySl& now = own.lanes.maps().vls(s, id_at<PortNum>(in), out);
        ASSERT_EQ(now[0], vls);
        ASSERT_EQ(now[own.unicast_sl], lanes.vl(s, id_at<PortNum>(in), out, 0));
      }
}

TEST(SharedTrunks, trees_from_all_roots_together_would_close_a_loop) {
  const Fabric fabric = test::generated("dragonfly", "2,4,2,9", 0);
  const FatTree tree = rank(fabric).value();
  const Routing routing = make_engine("dragonfly", {})->route(tree).value();
  const IdVector<SwitchId, McastSupport> support(fabric.num_switches(), McastSupport::kYes);
  ChannelDependencies graph(fabric, routing.tables, *routing.lanes);
  for (const SwitchId root : fabric.switches())
    add_multicast(fabric, *routing.lanes, grow_shortest_trunk(tree, root, support), 0, graph);
  EXPECT_FALSE(find_virtual_credit_loop(graph).empty());
}

bool closes_loop_on(std::uint8_t sl, const Fabric& fabric, const ForwardingTables& tables, const Lanes& lanes,
                    const Trunk& trunk) {
  ChannelDependencies graph(fabric, tables, lanes);
  add_multicast(fabric, lanes, trunk, sl, graph);
  return !find_virtual_credit_loop(graph).empty();
}

// A partition can ask for a service level that unicast uses, on whose lanes the tree was not proven.
TEST(GroupLevels, are_left_by_unicast) {
  const Fabric fabric = test::generated("dragonfly", "2,4,2,9", 3);
  const FatTree tree = rank(fabric).value();
  const Routing routing = make_engine("dragonfly-rlm", {})->route(tree).value();
  const IdVector<SwitchId, McastSupport> support(fabric.num_switches(), McastSupport::kYes);
  const Lanes& before = *routing.lanes;
  const SharedTrunks shared = share_trunks(tree, {fabric, routing.tables, before}, before, support);
  const Trunk& trunk = shared.by_component.begin()->second;
  EXPECT_TRUE(closes_loop_on(1, fabric, routing.tables, before, trunk));

  constexpr std::uint32_t kGroups = 1U | 1U << 1U | 1U << 5U | 1U << 15U;  // 15: of no path, with the lanes of 0
  const LevelsOfGroups after = leave_to_groups(before, kGroups);
  ASSERT_TRUE(after.lanes.has_value());
  EXPECT_EQ(after.left, 1U << 1U | 1U << 5U);
  EXPECT_EQ(after.not_left, 0U);
  EXPECT_EQ(after.lanes->levels().used() & (1U << 1U | 1U << 5U | 1U << 15U), 0U);
  EXPECT_EQ(after.lanes->num_vls(), before.num_vls());
  EXPECT_TRUE(verify(fabric, routing.tables, *after.lanes).ok());
  for (const int sl : {0, 1, 5, 15})
    EXPECT_FALSE(closes_loop_on(static_cast<std::uint8_t>(sl), fabric, routing.tables, *after.lanes, trunk)) << sl;
}

TEST(GroupLevels, stay_with_unicast_that_needs_them_all) {
  const Fabric fabric = test::generated("dragonfly", "4,8,4,33", 3);
  const Routing routing = make_engine("dragonfly-rlm", {})->route(rank(fabric).value()).value();
  ASSERT_EQ(routing.lanes->levels().used(), 0xFFFFU);
  const LevelsOfGroups after = leave_to_groups(*routing.lanes, 1U << 3U);
  EXPECT_EQ(after.left, 0U);
  EXPECT_EQ(after.not_left, 1U << 3U);
}

}  // namespace
}  // namespace espalier
