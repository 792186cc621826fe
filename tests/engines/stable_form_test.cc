// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/modulo/stable_form.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "core/engines/modulo/closed_form.h"
#include "core/engines/modulo/parents.h"
#include "core/fabric/faults.h"
#include "core/tree/rank.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"
#include "tests/support/without.h"

namespace espalier {
namespace {

using test::pgft;
using testing::AllOf;
using testing::Each;
using testing::Ge;
using testing::Le;

// Topological ids on every level, in pieces of `width` parents.
std::vector<SlottedOrder> plain_orders(const RoutingProblem& problem, std::uint32_t slots, std::uint32_t width) {
  return std::vector<SlottedOrder>(problem.tree.num_levels(), SlottedOrder{problem.order, slots, width});
}

IdVector<EndportId, std::uint8_t> nobody_stays(const Fabric& fabric) {
  return IdVector<EndportId, std::uint8_t>(fabric.num_endports());
}

// The definition of parents(s), by searching all switches.
std::vector<SwitchId> slow_parents(const FatTree& tree, SwitchId s) {
  const auto above = [&](SwitchId x) {
    std::set<SwitchId> all;
    for (const PortGroup& up : tree.up_groups(x)) all.insert(up.remote);
    return all;
  };
  const std::set<SwitchId> own = above(s);
  std::set<SwitchId> parents = own;
  for (const SwitchId sibling : tree.fabric().switches()) {
    if (tree.level(sibling) != tree.level(s)) continue;
    const std::set<SwitchId> others = above(sibling);
    if (std::any_of(own.begin(), own.end(), [&](SwitchId up) { return others.contains(up); }))
      parents.insert(others.begin(), others.end());
  }
  return {parents.begin(), parents.end()};
}

SwitchId next_hop(const Fabric& fabric, const ForwardingTables& tables, SwitchId s, Lid lid) {
  return fabric.peer(s, tables.at(s, lid)).as_switch();
}

// Destinations that go up from a switch, by the head of stable_form.h: the wanted parent where its path is direct, else a
// direct one where there is any, else one that leads closer.
void expect_defined_routes(const RoutingProblem& problem, const ForwardingTables& tables) {
  const FatTree& tree = problem.tree;
  const Fabric& fabric = problem.fabric;
  std::map<std::pair<SwitchId, EndportId>, bool> deflected;
  std::size_t detours = 0;
  for (std::size_t level = tree.num_levels(); level-- > 0;)
    for (const SwitchId s : fabric.switches()) {
      if (index(tree.level(s)) != level) continue;
      const std::vector<SwitchId> parents = slow_parents(tree, s);
      for (const EndportId e : fabric.endports()) {
        const Endport& host = fabric.at(e);
        if (problem.costs.down_cost(s, host.leaf) != kUnreachable) continue;
        if (problem.costs.cost(s, host.leaf) == kUnreachable) continue;  // no up-down path
        std::set<SwitchId> direct;
        std::set<SwitchId> closer;
        for (const PortGroup& up : tree.up_groups(s)) {
          if (problem.costs.cost(up.remote, host.leaf) >= problem.costs.cost(s, host.leaf)) continue;
          closer.insert(up.remote);
          if (!deflected[{up.remote, e}]) direct.insert(up.remote);
        }
        if (parents.empty()) continue;  // a top switch
        const SwitchId wanted = parents[problem.order.of_endport[e] / problem.divider[s] % parents.size()];
        const SwitchId taken = next_hop(fabric, tables, s, host.lid);
        deflected[{s, e}] = !direct.contains(wanted);
        detours += direct.contains(wanted) ? 0 : 1;
        if (direct.contains(wanted))
          ASSERT_EQ(taken, wanted) << fabric.label(s) << " to " << fabric.label(e);
        else
          ASSERT_TRUE((direct.empty() ? closer : direct).contains(taken))
              << fabric.label(s) << " to " << fabric.label(e) << " by " << fabric.label(taken);
      }
    }
  EXPECT_GT(detours, 0U) << "a fault that nobody notices";
}

// Of hosts. A switch above is not below every parent, so the modulo over those that lead to it is another one.
TEST(StableForm, IsTheClosedFormOnAWholeTree) {
  for (const char* text : {"2;3,4;1,3;1,1", "2;4,4;1,2;1,2", "3;4,4,4;1,4,4;1,1,1", "3;2,3,2;1,2,3;1,1,1"}) {
    const Fabric fabric = pgft(text);
    const FatTree tree = *rank(fabric);
    const RoutingProblem problem(tree);
    const ForwardingTables tables = stable_form(problem, plain_orders(problem, 64, 64), nobody_stays(fabric));
    const ForwardingTables closed = closed_form(problem);
    for (const SwitchId s : fabric.switches())
      for (const EndportId e : fabric.endports())
        ASSERT_EQ(tables.at(s, fabric.at(e).lid), closed.at(s, fabric.at(e).lid))
            << text << ": " << fabric.label(s) << " to " << fabric.label(e);
  }
}

// Upward, on a whole tree: by the definition at the head of stable_form.h, round by round through the ports of a group.
TEST(StableForm, TurnsThroughParentsAndTheirPortsForEveryOffset) {
  for (const char* text : {"2;4,6;1,2;1,2", "3;4,3,4;1,2,2;1,2,3", "3;3,4,4;1,4,3;1,1,2"})
    for (std::uint8_t lmc = 0; lmc < 3; ++lmc) {
      const Fabric fabric = test::with_lmc(pgft(text), lmc);
      const FatTree tree = *rank(fabric);
      const RoutingProblem problem(tree);
      const ForwardingTables tables = stable_form(problem, plain_orders(problem, 64, 64), nobody_stays(fabric));
      for (const SwitchId s : fabric.switches())
        for (const EndportId e : fabric.endports()) {
          const Endport& host = fabric.at(e);
          if (problem.costs.down_cost(s, host.leaf) != kUnreachable) continue;
          const std::vector<SwitchId> parents = slow_parents(tree, s);
          for (std::uint32_t k = 0; k < (1U << lmc); ++k) {
            const std::uint32_t divided = problem.order.of_endport[e] / problem.divider[s] + k / problem.divider[s];
            const SwitchId parent = parents[divided % parents.size()];
            const auto up = std::ranges::find(tree.up_groups(s), parent, &PortGroup::remote);
            const auto ports = tree.ports(*up);
            ASSERT_EQ(tables.at(s, lid_at_offset(host.lid, k)), ports[divided / parents.size() % ports.size()])
                << text << ": " << fabric.label(s) << " to " << fabric.label(e) << ", offset " << k;
          }
        }
    }
}

TEST(StableForm, MovesOnlyWhatALostLinkConcernsAtEveryLevel) {
  const Fabric whole = pgft("3;4,4,4;1,4,4;1,1,1");
  const FatTree whole_tree = *rank(whole);
  for (const SwitchId s :
       {whole_tree.ascending().front(), whole_tree.up_groups(whole_tree.ascending().front())[1].remote})
    for (const std::size_t lost : {0U, 1U, 3U}) {
      const PortGroup& group = whole_tree.up_groups(s)[lost];
      const Fabric fabric = without_link(whole, s, whole_tree.ports(group)[0]);
      const FatTree tree = *rank(fabric);
      const RoutingProblem problem(tree);
      expect_defined_routes(problem, stable_form(problem, plain_orders(problem, 64, 64), nobody_stays(fabric)));
    }
}

TEST(StableForm, MovesOnlyWhatManyLostLinksConcern) {
  const Fabric whole = pgft("3;4,4,4;1,4,4;1,1,1");
  for (const std::uint64_t seed : {1001, 1002, 1003}) {
    const Fabric fabric = *degrade(whole, {.links = 9, .seed = seed});
    const FatTree tree = *rank(fabric);
    const RoutingProblem problem(tree);
    expect_defined_routes(problem, stable_form(problem, plain_orders(problem, 64, 64), nobody_stays(fabric)));
  }
}

// 24 parents in pieces of 6, as in the head of stable_form.h: parents by their place, 0 to 23.
struct Pieces {
  Fabric whole = pgft("2;24,4;1,24;1,1");
  // Without the links from the first leaf to these parents.
  explicit Pieces(const std::vector<std::size_t>& lost) {
    const FatTree tree = *rank(whole);
    leaf = tree.ascending().front();
    parents = slow_parents(tree, leaf);
    fabric.emplace(whole);
    for (const std::size_t parent : lost)
      for (const PortGroup& up : tree.up_groups(leaf))
        if (up.remote == parents[parent]) fabric.emplace(without_link(*fabric, leaf, tree.ports(up)[0]));
  }
  // The parents that the hosts of other leaves take which want this parent, by ascending id.
  std::vector<std::size_t> taken_by(std::size_t wanted, bool all_stay) {
    const FatTree tree = *rank(*fabric);
    const RoutingProblem problem(tree);
    auto stays = nobody_stays(*fabric);
    if (all_stay)
      for (auto& e : stays) e = 1;
    const ForwardingTables tables = stable_form(problem, plain_orders(problem, 24, 6), stays);
    std::vector<std::size_t> taken;
    for (const EndportId e : problem.order.hosts) {
      if (problem.order.of_endport[e] % 24 != wanted || fabric->at(e).leaf == leaf) continue;
      const auto at = std::find(parents.begin(), parents.end(), next_hop(*fabric, tables, leaf, fabric->at(e).lid));
      taken.push_back(static_cast<std::size_t>(at - parents.begin()));
    }
    return taken;
  }

  std::optional<Fabric> fabric;
  SwitchId leaf = kNoSwitch;
  std::vector<SwitchId> parents;
};

TEST(StableForm, SpreadsTheHostsOfALostParentOverItsPiece) {
  Pieces tree({8});
  const std::vector<std::size_t> taken = tree.taken_by(8, false);
  ASSERT_EQ(taken.size(), 3U);
  EXPECT_THAT(taken, Each(AllOf(Ge(6U), Le(11U))));
  EXPECT_EQ(std::set(taken.begin(), taken.end()).size(), 3U) << "one after the other";
  EXPECT_EQ(std::count(taken.begin(), taken.end(), 8U), 0);
}

TEST(StableForm, LeavesThePieceWhenLessThanAThirdOfItIsLeft) {
  const auto outside = [](const std::vector<std::size_t>& taken) {
    return std::count_if(taken.begin(), taken.end(), [](std::size_t parent) { return parent < 6 || parent > 11; });
  };
  EXPECT_EQ(outside(Pieces({8, 9, 10, 11}).taken_by(8, false)), 0) << "two of six are a third";
  EXPECT_GT(outside(Pieces({7, 8, 9, 10, 11}).taken_by(8, false)), 0);
}

TEST(StableForm, KeepsHostsOfSmallTypesInTheirPieceAsLongAsAnythingIsLeft) {
  EXPECT_THAT(Pieces({7, 8, 9, 10, 11}).taken_by(8, true), Each(6U));
  EXPECT_THAT(Pieces({6, 7, 8, 9, 10, 11}).taken_by(8, true), Each(testing::AnyOf(Le(5U), Ge(12U))));
}

TEST(StableForm, TakesAParentInItsShareOfTheRounds) {
  const Fabric fabric = pgft("2;4,32;1,4;1,1");
  const FatTree tree = *rank(fabric);
  const RoutingProblem problem(tree);
  const SwitchId leaf = tree.ascending().front();
  GroupShares shares(fabric.num_switches());
  for (const SwitchId s : fabric.switches()) shares[s].assign(tree.up_groups(s).size(), 1.F);
  shares[leaf][2] = 0.25F;
  const ForwardingTables tables = stable_form(problem, plain_orders(problem, 4, 4), nobody_stays(fabric), &shares);
  std::map<SwitchId, std::size_t> hosts;
  for (const EndportId e : problem.order.hosts)
    if (fabric.at(e).leaf != leaf) ++hosts[next_hop(fabric, tables, leaf, fabric.at(e).lid)];
  const std::vector<SwitchId> parents = slow_parents(tree, leaf);
  EXPECT_THAT(hosts[parents[2]], AllOf(Ge(6U), Le(10U)));  // a quarter of 31
  for (const std::size_t parent : {0U, 1U, 3U}) EXPECT_THAT(hosts[parents[parent]], AllOf(Ge(37U), Le(41U)));
}

TEST(ParentsAbove, AreThoseOfTheSwitchAndItsSiblings) {
  const Fabric whole = pgft("3;2,3,2;1,2,3;1,1,1");
  const FatTree whole_tree = *rank(whole);
  const SwitchId leaf = whole_tree.ascending().front();
  const Fabric fabric = without_link(whole, leaf, whole_tree.ports(whole_tree.up_groups(leaf)[0])[0]);
  const FatTree tree = *rank(fabric);
  for (const SwitchId s : fabric.switches())
    EXPECT_EQ(parents_above(tree, s), slow_parents(tree, s)) << fabric.label(s);
}

}  // namespace
}  // namespace espalier
