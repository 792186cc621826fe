// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/modulo/dmodc.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <set>

#include "core/analysis/soundness/verify.h"
#include "core/fabric/faults.h"
#include "core/tree/next_hops.h"
#include "core/tree/rank.h"
#include "tests/engines/slow_dmodc.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"
#include "tests/support/without.h"

namespace espalier {
namespace {

using test::draw;
using test::endport_named;
using test::pgft;
using test::shuffled;
using test::switch_named;
using testing::HasSubstr;

Routing route(const Fabric& fabric) {
  const FatTree tree = *rank(fabric);
  return *Dmodc().route(tree);
}

// The switches that a packet from s visits on its way to `lid`, s included.
std::vector<SwitchId> walk(const Fabric& fabric, const ForwardingTables& tables, SwitchId s, Lid lid) {
  std::vector<SwitchId> visited{s};
  while (visited.size() < 50) {
    const PortNum out = tables.at(visited.back(), lid);
    if (out == kNoPort || out == kManagementPort || !fabric.peer(visited.back(), out).is_switch()) break;
    visited.push_back(fabric.peer(visited.back(), out).as_switch());
  }
  return visited;
}

void expect_equal_to_slow_reference(const Fabric& fabric, const std::string& what) {
  const FatTree tree = *rank(fabric);
  const ForwardingTables slow = test::slow_dmodc(tree);
  const ForwardingTables fast = Dmodc().route(tree)->tables;
  for (const SwitchId s : fabric.switches())
    for (const EndportId e : fabric.endports())
      if (const Lid lid = fabric.at(e).lid; slow.at(s, lid) != kNoPort) {
        ASSERT_EQ(slow.at(s, lid), fast.at(s, lid)) << what << ": " << fabric.label(s) << " to " << fabric.label(e);
      }
}

TEST(Dmodc, EqualsTheSlowReferenceOnWholeAndDamagedTrees) {
  for (const char* spec : {"2;4,6;1,4;1,1", "2;4,6;1,2;1,2", "3;3,2,4;1,3,2;1,1,1", "3;2,2,3;1,2,2;1,2,2"}) {
    const Fabric whole = pgft(spec);
    expect_equal_to_slow_reference(whole, spec);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Damage damage;
      damage.seed = seed;
      damage.links = 1 + seed % 5;
      expect_equal_to_slow_reference(*degrade(whole, damage),
                                     fmt::format("{} without {} links, seed {}", spec, damage.links, seed));
    }
  }
}

// Hosts missing at random, so that every leaf has another number of them: ids go on without a gap (Algorithm 7).
TEST(Dmodc, EqualsTheSlowReferenceOnLeavesWithUnequalNumbersOfHosts) {
  for (const char* spec : {"2;6,6;1,4;1,1", "3;4,3,4;1,4,2;1,1,1"})
    for (std::uint64_t seed = 1001; seed <= 1010; ++seed) {
      Damage damage;
      damage.seed = seed;
      damage.endports = 6 + seed % 7;
      damage.links = seed % 3;
      expect_equal_to_slow_reference(*degrade(pgft(spec), damage),
                                     fmt::format("{} without {} hosts, seed {}", spec, damage.endports, seed));
    }
}

// Dmodk, thesis 1.4.2: up-port floor(d / (w1 .. wl)) mod (w(l+1) p(l+1)), on one-link trees the group of that index.
TEST(Dmodc, EqualsDmodkOnAPerfectTree) {
  const Fabric fabric = pgft("3;4,3,5;1,4,2;1,1,1");
  const FatTree tree = *rank(fabric);
  const ForwardingTables tables = route(fabric).tables;
  const std::size_t arity_product[] = {1, 4};
  for (const SwitchId s : fabric.switches()) {
    if (tree.up_groups(s).empty()) continue;
    std::size_t d = 0;
    for (const EndportId e : fabric.endports()) {
      const SwitchId next = fabric.peer(s, tables.at(s, fabric.at(e).lid)).as_switch();
      if (fabric.at(e).leaf != s && tree.level(next) > tree.level(s)) {
        const auto up = tree.up_groups(s);
        EXPECT_EQ(next, up[d / arity_product[index(tree.level(s))] % up.size()].remote);
      }
      ++d;
    }
  }
}

TEST(Dmodc, TakesOneSpinePerDestinationWhateverTheSource) {
  const Fabric fabric = pgft("3;3,3,4;1,3,3;1,1,1");
  const FatTree tree = *rank(fabric);
  const ForwardingTables tables = route(fabric).tables;
  for (const EndportId e : fabric.endports()) {
    std::set<SwitchId> tops;
    for (const SwitchId s : fabric.switches())
      if (!tree.hosts(s).empty())
        for (const SwitchId v : walk(fabric, tables, s, fabric.at(e).lid))
          if (tree.up_groups(v).empty()) tops.insert(v);
    EXPECT_EQ(tops.size(), 1U) << fabric.label(e);
  }
}

TEST(Dmodc, SpreadsLidOffsetsOverDisjointPathsWhileThereAreAny) {
  const Fabric fabric = pgft("3;4,2,3;1,4,2;1,1,1", 3);
  const FatTree tree = *rank(fabric);
  const ForwardingTables tables = route(fabric).tables;
  const EndportId far = endport_named(fabric, "host 23");
  const SwitchId source = fabric.at(endport_named(fabric, "host 0")).leaf;
  std::set<SwitchId> middles;
  std::set<SwitchId> tops;
  for (std::size_t k = 0; k < 8; ++k) {
    const auto path = walk(fabric, tables, source, lid_at_offset(fabric.at(far).lid, k));
    ASSERT_EQ(path.size(), 5U);
    if (k < 4) {
      EXPECT_TRUE(middles.insert(path[1]).second && middles.insert(path[3]).second) << "offset " << k;
    }
    tops.insert(path[2]);
  }
  EXPECT_EQ(tops.size(), 8U) << "four planes of two tops each";
}

TEST(Dmodc, SpreadsOffsetsOverParallelLinksWhereThereIsOneSpine) {
  const Fabric fabric = test::with_lmc(draw("L0:1 L1:1 S; L0-S L0-S L1-S L1-S"), 1);
  const ForwardingTables tables = route(fabric).tables;
  const Lid base = fabric.at(endport_named(fabric, "h1")).lid;
  const SwitchId l0 = switch_named(fabric, "L0");
  EXPECT_NE(tables.at(l0, base), tables.at(l0, id_at<Lid>(index(base) + 1)));
}

TEST(Dmodc, KeepsOffsetZeroEqualToThePlainRoute) {
  const Fabric plain = pgft("2;4,6;1,4;1,2");
  const Fabric many = pgft("2;4,6;1,4;1,2", 2);
  const ForwardingTables a = route(plain).tables;
  const ForwardingTables b = route(many).tables;
  for (const SwitchId s : plain.switches())
    for (const EndportId e : plain.endports()) EXPECT_EQ(a.at(s, plain.at(e).lid), b.at(s, many.at(e).lid));
}

TEST(Dmodc, GivesTheSameTablesWithOneThreadAndWithTwo) {
  const Fabric fabric = *degrade(pgft("3;6,4,6;1,6,4;1,1,1"), {.links = 60});
  const FatTree tree = *rank(fabric);
  ForwardingTables one;
  ForwardingTables two;
  tbb::task_arena(1).execute([&] { one = Dmodc().route(tree)->tables; });
  tbb::task_arena(2).execute([&] { two = Dmodc().route(tree)->tables; });
  EXPECT_EQ(one, two);
}

TEST(Dmodc, GivesTheSameTablesWhateverTheOrderOfDiscovery) {
  for (const Fabric& fabric : {*degrade(pgft("3;4,3,4;1,4,2;1,1,1"), {.links = 10}), test::hosts_at_two_depths()})
    for (unsigned seed = 0; seed < 5; ++seed)
      EXPECT_EQ(route(fabric).tables, route(test::shuffled(fabric, seed)).tables);
}

TEST(Dmodc, ChangesFewEntriesWhenOneLinkIsLost) {
  const Fabric whole = pgft("3;6,4,6;1,6,4;1,1,1");
  const SwitchId leaf = whole.at(EndportId{0}).leaf;
  const Fabric hurt = without_link(whole, leaf, rank(whole)->ports(rank(whole)->up_groups(leaf)[2])[0]);
  const ForwardingTables before = route(whole).tables;
  const ForwardingTables after = route(hurt).tables;
  std::size_t changed = 0;
  for (const SwitchId s : whole.switches())
    for (std::size_t lid = 0; lid < before.width(); ++lid)
      changed += before.at(s, id_at<Lid>(lid)) != after.at(s, id_at<Lid>(lid));
  EXPECT_GT(changed, 0U);
  EXPECT_LT(changed, before.width() * whole.num_switches() / 20);
}

TEST(Dmodc, LeavesOtherPartsAloneAndRoutesEachOnItsOwn) {
  const Fabric fabric = test::two_subnets();
  const ForwardingTables tables = route(fabric).tables;
  EXPECT_TRUE(verify(fabric, tables).ok());
  EXPECT_EQ(tables.at(switch_named(fabric, "L0"), fabric.at(switch_named(fabric, "L2")).lid), kNoPort);
}

TEST(Dmodc, SaysHowManyHostPairsTakeADetour) {
  const Routing routing = route(test::pair_without_up_down_path());
  ASSERT_EQ(routing.warnings.size(), 1U);
  EXPECT_THAT(routing.warnings[0], HasSubstr("8 ordered pairs of hosts have no up-down path"));
}

TEST(AlternativePorts, AreAllPortsOnShortestUpDownPaths) {
  const Fabric fabric = draw("L0:1 L1:1 S0 S1; L0-S0 L0-S0 L0-S1 L1-S0 L1-S1");
  const FatTree tree = *rank(fabric);
  const UpDownCosts costs(tree);
  const auto l0 = switch_named(fabric, "L0");
  EXPECT_EQ(alternative_ports(tree, costs, l0, switch_named(fabric, "L1")).size(), 3U);
  EXPECT_EQ(alternative_ports(tree, costs, l0, switch_named(fabric, "S0")).size(), 2U);
  EXPECT_TRUE(alternative_ports(tree, costs, l0, l0).empty());
}

}  // namespace
}  // namespace espalier
