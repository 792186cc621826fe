// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Worked examples of Gliksberg 2022 that belong to no campaign: Figures 2.2, 4.2 and 4.4, sections 3.3.3 and 3.4.2.
#include <gtest/gtest.h>

#include <cmath>

#include "core/analysis/congestion/congestion.h"
#include "core/analysis/routes/hops.h"
#include "core/engines/engines.h"
#include "core/engines/modulo/closed_form.h"
#include "core/fabric/generators/pgft.h"
#include "core/tree/next_hops.h"
#include "core/tree/rank.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"
#include "tests/support/host_pair_router.h"
#include "tests/support/path_risk.h"

namespace espalier {
namespace {

using test::draw;
using test::endport_named;
using test::switch_named;

// Figure 4.4: divider 4 and destination 20 give group 1 of two, floor(20/4) mod 2, and port 2 of three,
// floor(20/(4 x 2)) mod 3.
TEST(Figure44, ChoosesGroupOneAndPortTwo) {
  const Fabric fabric = draw(
      "L0:20 L1:1; L0-s L0-M1 L0-M2 L0-M3  L1-N0 L1-N1 L1-N2 L1-N3;"
      "s-T0 s-T0 s-T0 s-T1 s-T1 s-T1 N0-T0 N0-T1  M1-T2 N1-T2 M2-T3 N2-T3 M3-T4 N3-T4");
  const FatTree tree = *rank(fabric);
  const RoutingProblem problem(tree);
  const SwitchId s = switch_named(fabric, "s");
  const EndportId d = endport_named(fabric, "h20");
  ASSERT_EQ(problem.divider[s], 4U);
  ASSERT_EQ(problem.order.of_endport[d], 20U);
  const auto closer = closer_groups(tree, problem.costs, s, fabric.at(d).leaf);
  ASSERT_EQ(closer.size(), 2U);
  EXPECT_EQ(closer[1].remote, switch_named(fabric, "T1"));
  EXPECT_EQ(closed_form(problem).at(s, fabric.at(d).lid), tree.ports(closer[1])[2]);
}

// Figure 4.2's caption: on what is no PGFT the first cost that comes to a switch need not be its least one. X gets 4
// over the long path on the left, and 2 later.
TEST(Figure42, LowersACostThatCameByALongerWay) {
  const Fabric fabric = draw("D:1 X:1 Y:1; D-A A-B B-C C-X  D-S X-S  Y-C");
  const FatTree tree =
      *rank(fabric, {.roots = {fabric.at(switch_named(fabric, "B")).guid, fabric.at(switch_named(fabric, "S")).guid}});
  const UpDownCosts costs(tree);
  EXPECT_EQ(costs.cost(switch_named(fabric, "X"), switch_named(fabric, "D")), 2);
  EXPECT_EQ(costs.cost(switch_named(fabric, "Y"), switch_named(fabric, "D")), 4);
}

// Figure 2.2: 20 switches of 8 ports, 32 nodes, 80 links; half of the ports of the third level are free. Recabled as a
// quasi fat tree it blocks no more and is shorter.
TEST(Figure22, HasTheSameRiskAndAShorterMeanDistanceAsQuasiFatTree) {
  const auto measure = [](const Fabric& fabric, std::string_view engine, std::vector<std::uint64_t> pairs_per_node,
                          double mean) {
    ASSERT_EQ(fabric.num_switches(), 20U);
    ASSERT_EQ(fabric.num_endports() + fabric.num_switch_links(), 80U);
    const FatTree tree = *rank(fabric);
    const ForwardingTables tables = make_engine(engine)->route(tree)->tables;
    const std::vector<EndportId> hosts = topological_order(tree, UpDownCosts(tree)).hosts;
    EXPECT_EQ(shift_risk(HostRoutes(fabric, tables, hosts)).max(), 2U);
    const HopReport hops = count_hops(fabric, tables, hosts);
    EXPECT_NEAR(hops.mean(), mean, 0.006);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(hops.pairs_of_length.at(2 * (i + 1)), 32 * pairs_per_node[i]) << i;
  };
  const PgftSpec spec = *PgftSpec::parse("3;4,2,4;1,2,2;1,2,1");
  measure(*generate_pgft(spec), "dmodk", {3, 4, 24}, 5.35);
  measure(*generate_qft(spec), "pqft", {3, 12, 16}, 4.84);
}

// The case study of chapter 3, XGFT(3;4,4,6;1,2,2).
class Chapter3 : public testing::Test {
 protected:
  const Fabric fabric_ = test::pgft("3;4,4,6;1,2,2;1,1,1");
  const FatTree tree_ = *rank(fabric_);
  const HostPairRouter router_{tree_};
  const std::vector<EndportId> nodes_ = router_.order().hosts;
};

// 3.4.2: "the node with NID 59 and gNID 86 is assigned (2,1,0)": on level 2, the second of the tops above the first
// switch of level 1.
TEST_F(Chapter3, SendsTo59OverTop210) {
  const auto path = router_.by_number(nodes_[0], nodes_[59], 86);
  ASSERT_EQ(path.size(), 4U);
  const SwitchId leaf = fabric_.at(nodes_[0]).leaf;
  const SwitchId middle = tree_.up_groups(leaf)[0].remote;
  EXPECT_EQ(fabric_.peer(path[0]).as_switch(), middle);
  EXPECT_EQ(fabric_.peer(path[1]).as_switch(), tree_.up_groups(middle)[1].remote);
}

// 3.3.3: three sources send to each of four destinations of a group, each pair by a random one of four tops. Risk 1
// takes all three to one top, and another one for each destination: 6/4^11, and that in all six groups.
TEST(Section333, HasThePublishedProbabilities) {
  // The channel from top to group stands for the top.
  std::uint32_t without_collision = 0;
  for (std::uint32_t choice = 0; choice < 256; ++choice) {
    std::vector<FlowPath> flows;
    for (std::uint32_t d = 0; d < 4; ++d)
      for (std::uint32_t s = 0; s < 3; ++s) flows.push_back({3 * d + s, d, {id_at<ChannelId>(choice >> (2 * d) & 3)}});
    without_collision += congestion_risk(flows) == 1 ? 1 : 0;
  }
  // Of 4^4 ways to choose a top for each destination; of 4^12 for each pair.
  const double of_group = without_collision / std::pow(4.0, 12);
  EXPECT_DOUBLE_EQ(of_group, 6 / std::pow(4.0, 11));
  EXPECT_NEAR(of_group, 1.4e-6, 0.05e-6);
  EXPECT_NEAR(std::pow(of_group, 6), 8.6e-36, 0.05e-36);
}

}  // namespace
}  // namespace espalier
