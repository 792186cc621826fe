// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/congestion/congestion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/fabric/fabric_builder.h"
#include "tests/analysis/fill_tables.h"
#include "tests/analysis/random_fabric.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"

namespace espalier::test {
namespace {

HostRoutes routes_of(const Fabric& fabric, const ForwardingTables& tables) {
  return HostRoutes(fabric, tables, all_endports(fabric));
}

HostRoutes dmodk_routes(const char* spec) {
  const Fabric fabric = pgft(spec);
  return routes_of(fabric, route_dmodk(fabric, PgftSpec::parse(spec).value()));
}

// The example of congestion.h: two leaves, two hosts each, one link.
Fabric two_leaves() {
  FabricBuilder builder;
  std::vector<FabricBuilder::SwitchHandle> leaves;
  for (std::size_t i = 0; i < 2; ++i) {
    Switch s;
    s.guid = Guid{1 + i};
    s.num_ports = 3;
    leaves.push_back(builder.add_switch(std::move(s)));
  }
  for (std::size_t i = 0; i < 4; ++i) {
    Endport e;
    e.node_guid = Guid{0x10 + i};
    e.port_guid = Guid{0x10 + i};
    builder.connect(leaves[i / 2], id_at<PortNum>(1 + i % 2), builder.add_endport(std::move(e)));
  }
  builder.connect(leaves[0], PortNum{3}, leaves[1], PortNum{3});
  static_cast<void>(builder.assign_lids(0, FabricBuilder::Numbering::kRenumber));
  return std::move(builder).build().value();
}

TEST(Congestion, OfTwoLeavesWithOneLinkIsAsComputedByHand) {
  const Fabric fabric = two_leaves();
  const HostRoutes routes = routes_of(fabric, route_shortest(fabric));
  EXPECT_THAT(shift_risk(routes).mu, testing::ElementsAre(1, 2, 1));
  const AllToAllRisk risk = all_to_all_risk(routes);
  EXPECT_EQ(risk.xi_switches, 4U);
  EXPECT_EQ(risk.mu, 2U);
  EXPECT_EQ(risk.xi, 4U);
  EXPECT_EQ(risk.unrouted, 0U);
}

// Thesis 2.3: five switches, each cabled to each, two hosts on each, shortest paths: xi = 9, Xi = 4. R' moves one path
// through an extra switch: xi = 9, Xi = 5. One path alone moves when one flow uses another LID of its destination.
TEST(Congestion, OfTheFullyConnectedNetworkOfTheThesisIsNineAndFourThenNineAndFive) {
  const Fabric fabric = draw("A:2 B:2 C:2 D:2 E:2 ; A-B A-C A-D A-E B-C B-D B-E C-D C-E D-E", 1);
  ForwardingTables tables = route_shortest(fabric);
  AllToAllRisk risk = all_to_all_risk(routes_of(fabric, tables));
  EXPECT_EQ(risk.xi, 9U);
  EXPECT_EQ(risk.xi_switches, 4U);
  EXPECT_EQ(risk.mu, 2U);

  const std::size_t host = 2;  // on B
  const PortNum to_c{4};       // of A: two hosts, B, C
  tables.set(switch_named(fabric, "A"), lid_at_offset(fabric.at(EndportId{host}).lid, 1), to_c);
  LidUse use{.kind = LidUse::Kind::kTable, .table = OffsetTable(10)};
  use.table->set(0, host, 1);
  risk = all_to_all_risk(HostRoutes(fabric, tables, all_endports(fabric), use));
  EXPECT_EQ(risk.xi, 9U);
  EXPECT_EQ(risk.xi_switches, 5U);
  EXPECT_EQ(risk.unrouted, 0U);
}

TEST(Congestion, OfDmodkOnNonBlockingTreesIsOneForEveryShift) {
  for (const char* spec : {"2;4,8;1,4;1,1", "2;4,4;1,2;1,2", "3;2,2,4;1,2,2;1,1,1", "3;3,3,6;1,3,3;1,1,1",
                           "3;4,4,4;1,4,2;1,1,2", "2;18,36;1,9;1,2"})
    EXPECT_EQ(shift_risk(dmodk_routes(spec)).max(), 1U) << spec;
}

TEST(Congestion, OfDmodkOnATreeWithHalfTheUplinksIsTwo) {
  EXPECT_EQ(shift_risk(dmodk_routes("2;4,8;1,2;1,1")).max(), 2U);
  EXPECT_EQ(shift_risk(dmodk_routes("3;4,2,4;1,2,2;1,2,1")).max(), 2U);  // thesis 2.3.3, figure 2.2
}

// On XGFT(2;4,8;1,4) table 2.1 of the thesis cannot be right: a leaf has four hosts, so no channel of this tree has
// more than four sources or destinations, and neither 5 nor 9 can be. By hand: D-mod-K comes down by four different
// roots to the four hosts of a leaf, so only up-channels are shared. The four flows of a leaf go to 4 of 32 hosts, 7 of
// each root's 8 on other leaves: all four by one root in 4 C(7,4) / C(32,4) = 0.4 % of the cases, three or more in
// 4 (C(7,3) 25 + C(7,4)) / C(32,4) = 10.1 %. Over eight leaves: mu = 4 in 3.1 %, mu >= 3 in 57 %. Median 3.
TEST(Congestion, OfRandomPermutationsOnEightLeavesOfFourHasMedianThree) {
  const HostRoutes routes = dmodk_routes("2;4,8;1,4;1,1");
  const RiskDistribution risk = random_risk(routes, 20000, 1);
  const auto share_of = [&](std::uint32_t least) {
    return static_cast<double>(std::count_if(risk.mu.begin(), risk.mu.end(), [&](auto mu) { return mu >= least; })) /
           static_cast<double>(risk.mu.size());
  };
  EXPECT_EQ(risk.median(), 3.0);
  EXPECT_EQ(risk.max(), 4U);
  EXPECT_NEAR(share_of(4), 0.031, 0.005);
  EXPECT_NEAR(share_of(3), 0.57, 0.02);
}

// Table 2.1 of the thesis, what was probably measured: the printed figures are those of larger trees of the same kind,
// XGFT(2;k,2k;1,k) with k from 16 to 20, for example of 36-port switches; k = 15 has medians of 4 and 5, k = 24 of 6.
TEST(Congestion, OfARealLifeFatTreeOf36PortSwitchesIsThatOfTableTwoPointOne) {
  const Fabric fabric = pgft("2;18,36;1,18;1,1");
  const HostRoutes dmodk = dmodk_routes("2;18,36;1,18;1,1");
  EXPECT_EQ(shift_risk(dmodk).max(), 1U);
  for (std::uint64_t run = 1; run <= 6; ++run) {
    SCOPED_TRACE(run);
    EXPECT_EQ(random_risk(dmodk, 1000, run).median(), 5.0);
    // RandSP: each leaf sends to each host of another by a random root.
    ForwardingTables tables = route_shortest(fabric);
    Random random(run);
    for (const EndportId e : fabric.endports())
      for (const SwitchId leaf : fabric.switches())
        if (fabric.peer(leaf, PortNum{1}).is_endport() && leaf != fabric.at(e).leaf)
          tables.set(leaf, fabric.at(e).lid, id_at<PortNum>(19 + below(random, 18)));
    const HostRoutes randsp = routes_of(fabric, tables);
    EXPECT_THAT(shift_risk(randsp).max(), testing::AllOf(testing::Ge(7), testing::Le(9)));
    EXPECT_EQ(random_risk(randsp, 1000, run).median(), 5.0);
  }
}

TEST(Congestion, OfRandomDrawsStopsWhenItsMeanIsKnown) {
  const HostRoutes routes = dmodk_routes("2;4,8;1,4;1,1");
  TrafficPattern pattern{TrafficPattern::Kind::kRandomPermutations, 100000, 0.02};
  const RiskDistribution risk = permutation_risk(routes, pattern, 1);
  EXPECT_LE(risk.standard_error(), 0.02);
  EXPECT_EQ(risk.mu.size() % kDrawsPerLook, 0U);
  EXPECT_GT(risk.mu.size(), kDrawsPerLook);
  const RiskDistribution all = random_risk(routes, static_cast<std::uint32_t>(risk.mu.size()), 1);
  EXPECT_EQ(risk.mu, all.mu);
  const RiskDistribution shorter = random_risk(routes, static_cast<std::uint32_t>(risk.mu.size() - kDrawsPerLook), 1);
  EXPECT_GT(shorter.standard_error(), 0.02);
  pattern.parameter = 250;
  EXPECT_EQ(permutation_risk(routes, pattern, 1).mu.size(), 250U);
}

TEST(Congestion, OfFlowsSplitOverAllLidsIsAFractionOfThatOfWholeFlows) {
  // Two leaves, two roots, LMC 1: each host's two LIDs come by different roots. A shift by 2 sends two flows up from
  // each leaf; split, each of the two channels carries a half of both.
  const Fabric fabric = draw("L0:2 L1:2 ; L0-S0 L0-S1 L1-S0 L1-S1", 1);
  ForwardingTables tables = route_shortest(fabric);
  for (const EndportId e : fabric.endports())
    for (const SwitchId leaf : {SwitchId{0}, SwitchId{1}})
      if (leaf != fabric.at(e).leaf) {
        tables.set(leaf, fabric.at(e).lid, PortNum{3});
        tables.set(leaf, lid_at_offset(fabric.at(e).lid, 1), PortNum{4});
      }
  const auto routes = [&](LidUse use) { return HostRoutes(fabric, tables, all_endports(fabric), std::move(use)); };
  EXPECT_EQ(shift_risk(routes({.offset = 0})).max(), 2.0);
  EXPECT_EQ(shift_risk(routes({.offset = 1})).max(), 2.0);
  EXPECT_EQ(shift_risk(routes({.offset = 3})).mu, shift_risk(routes({.offset = 1})).mu);  // counts modulo 2
  const HostRoutes evenly = routes({.kind = LidUse::Kind::kEvenly});
  EXPECT_EQ(evenly.shares_per_flow(), 2U);
  EXPECT_EQ(shift_risk(evenly).max(), 1.0);
  EXPECT_EQ(shift_risk(evenly).mean(), (0.5 + 1 + 0.5) / 3);
  const AllToAllRisk all = all_to_all_risk(evenly);
  EXPECT_EQ(all.xi_switches, 4U);  // halves of four flows
  EXPECT_EQ(all.mu, 2U);           // two hosts, a half each: 1
  EXPECT_EQ(all.xi, 6U);           // three flows into each host
}

TEST(Congestion, SummariesInterpolateBetweenNeighbors) {
  const RiskDistribution risk{{4, 1, 3, 2}, 0};
  EXPECT_EQ(risk.max(), 4U);
  EXPECT_EQ(risk.mean(), 2.5);
  EXPECT_EQ(risk.median(), 2.5);
  EXPECT_EQ(risk.quantile(0.25), 1.75);
  EXPECT_EQ(risk.quantile(1), 4.0);
  EXPECT_NEAR(risk.standard_error(), std::sqrt(5.0 / 3 / 4), 1e-12);
  EXPECT_EQ((RiskDistribution{{4, 1, 3, 2}, 0, 2}.mean()), 1.25);
  EXPECT_EQ((RiskDistribution{{7}, 0}.standard_error()), 0.0);
  const RiskDistribution none;
  EXPECT_EQ(none.max(), 0U);
  EXPECT_EQ(none.median(), 0.0);
}

}  // namespace
}  // namespace espalier::test
