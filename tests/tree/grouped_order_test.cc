// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/order/grouped_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/tree/rank.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"
#include "tests/support/without.h"

namespace espalier {
namespace {

using testing::ElementsAre;

NodeOrder topological(const Fabric& fabric) {
  const FatTree tree = *rank(fabric);
  return topological_order(tree, UpDownCosts(tree));
}

// Two types, "compute" and "io"; io are the hosts of these descriptions.
NodeTypes io_hosts(const Fabric& fabric, const std::set<std::string>& io) {
  NodeTypes types;
  types.types.push_back({"compute"});
  types.types.push_back({"io"});
  types.of_endport = IdVector<EndportId, NodeTypeId>(fabric.num_endports());
  for (const EndportId e : fabric.endports())
    if (io.contains(fabric.at(e).description)) types.of_endport[e] = NodeTypeId{1};
  return types;
}

std::vector<std::uint32_t> ids(const Fabric& fabric, const NodeOrder& order) {
  std::vector<std::uint32_t> all;
  for (const EndportId e : fabric.endports()) all.push_back(order.of_endport[e]);
  return all;
}

// Thesis 3.4: "computing nodes are reindexed first: there are 72 so they are assigned gNIDs 0 to 71; storage nodes are
// assigned gNIDs 72 to 95"; "the node with NID 59 and gNID 86".
TEST(GroupedOrder, NumbersTheCaseStudyAsPublished) {
  const Fabric fabric = test::pgft("3;4,4,6;1,2,2;1,1,1");
  const NodeOrder order = topological(fabric);
  NodeTypes types = io_hosts(fabric, {});
  for (std::size_t nid = 3; nid < 96; nid += 4) types.of_endport[order.hosts[nid]] = NodeTypeId{1};
  const NodeOrder grouped = grouped_order(fabric, order, types);
  std::uint32_t compute = 0;
  std::uint32_t storage = 72;
  for (std::size_t nid = 0; nid < 96; ++nid)
    EXPECT_EQ(grouped.of_endport[order.hosts[nid]], nid % 4 == 3 ? storage++ : compute++) << nid;
  EXPECT_EQ(grouped.of_endport[order.hosts[59]], 86U);
  for (std::size_t i = 0; i < 96; ++i) EXPECT_EQ(grouped.of_endport[grouped.hosts[i]], i);
}

TEST(GroupedOrder, IsTheOldOrderWhereAllHostsAreAlike) {
  const Fabric fabric = test::draw("L0:2 L1:2 S; L0-S L1-S");
  const NodeOrder order = topological(fabric);
  EXPECT_EQ(ids(fabric, grouped_order(fabric, order, NodeTypes{})), ids(fabric, order));
  EXPECT_EQ(ids(fabric, grouped_order(fabric, order, io_hosts(fabric, {}))), ids(fabric, order));
}

TEST(GroupedOrder, LeavesNoGapsInAScatteredType) {
  // io hosts: three of the first leaf's, one of each other's; with gaps these would all be the same modulo 3.
  const Fabric fabric = test::draw("L0:3 L1:3 L2:3 L3:3 S; L0-S L1-S L2-S L3-S");
  const NodeOrder grouped =
      grouped_order(fabric, topological(fabric), io_hosts(fabric, {"h0", "h1", "h2", "h5", "h8", "h11"}));
  EXPECT_THAT(ids(fabric, grouped), ElementsAre(6, 7, 8, 0, 1, 9, 2, 3, 10, 4, 5, 11));
}

TEST(GroupedOrder, MovesOnlyTheHostsOfAMissingOnesTypeBehindItOnItsLeaf) {
  const Fabric whole = test::draw("L0:3 L1:3 L2:3 S; L0-S L1-S L2-S");
  const Fabric less = without_endport(whole, test::endport_named(whole, "h0"));
  const std::set<std::string> io{"h2", "h5", "h8"};
  EXPECT_THAT(ids(whole, grouped_order(whole, topological(whole), io_hosts(whole, io))),
              ElementsAre(0, 1, 6, 2, 3, 7, 4, 5, 8));
  EXPECT_THAT(ids(less, grouped_order(less, topological(less), io_hosts(less, io))),
              ElementsAre(0, 6, 2, 3, 7, 4, 5, 8));
}

TEST(GroupedOrder, KeepsThePlaceOfATypesOnlyHostOnALeaf) {
  const Fabric whole = test::draw("L0:2 L1:2 L2:2 L3:2 S; L0-S L1-S L2-S L3-S");
  const Fabric less = without_endport(whole, test::endport_named(whole, "h3"));
  const std::set<std::string> io{"h1", "h3", "h5", "h7"};
  EXPECT_THAT(ids(less, grouped_order(less, topological(less), io_hosts(less, io))), ElementsAre(0, 4, 1, 2, 6, 3, 7));
}

TEST(GroupedOrder, LeavesAggregationNodesAndSwitchesAsTheyAre) {
  const Fabric fabric = test::draw("L0:2 L1:2 L0:an S0 S1; L0-S0 L0-S1 L1-S0 L1-S1");
  const NodeOrder order = topological(fabric);
  const NodeOrder grouped = grouped_order(fabric, order, io_hosts(fabric, {"h0"}));
  EXPECT_EQ(grouped.of_switch, order.of_switch);
  EXPECT_EQ(grouped.hosts.size(), 4U);
  const EndportId an = test::endport_named(fabric, "Mellanox Technologies Aggregation Node");
  EXPECT_EQ(grouped.of_endport[an], order.of_endport[an]);
}

}  // namespace
}  // namespace espalier
