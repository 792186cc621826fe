// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/node_order.h"

#include <gtest/gtest.h>

#include <map>

#include "core/fabric/faults.h"
#include "core/fabric/generators/pgft.h"
#include "core/tree/rank.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

std::string names(const Fabric& fabric, const std::vector<EndportId>& hosts) {
  std::string text;
  for (const EndportId e : hosts) text += fabric.at(e).description + " ";
  return text;
}

std::string order_of(const Fabric& fabric) {
  const FatTree tree = *rank(fabric);
  return names(fabric, topological_order(tree, UpDownCosts(tree)).hosts);
}

// L0 and L2 share a spine, L1 and L3 another; GUIDs go L0 L1 L2 L3. Hosts h0 .. h3 sit on L0 .. L3.
TEST(TopologicalOrder, PutsNearLeavesSideBySideThoughTheirGuidsAreNot) {
  EXPECT_EQ(order_of(test::draw("L0:1 L1:1 L2:1 L3:1 A B T; L0-A L2-A L1-B L3-B A-T B-T")), "h0 h2 h1 h3 ");
}

// Four levels: pods of pods stay together, which Algorithm 7 alone does not do. Leaf GUIDs alternate between the
// halves.
TEST(TopologicalOrder, KeepsGroupsOfGroupsTogether) {
  EXPECT_EQ(order_of(test::draw("L0:1 R0:1 L1:1 R1:1 L2:1 R2:1 L3:1 R3:1;"
                                "L0-a L1-a L2-b L3-b a-x b-x  R0-c R1-c R2-d R3-d c-y d-y  x-T y-T")),
            "h0 h2 h4 h6 h1 h3 h5 h7 ");
}

TEST(TopologicalOrder, LeavesAggregationNodesOutOfTheHostsSequence) {
  const Fabric fabric = test::aggregation_nodes();
  const FatTree tree = *rank(fabric);
  const NodeOrder order = topological_order(tree, UpDownCosts(tree));
  EXPECT_EQ(order.hosts.size(), 4U);
  for (std::size_t i = 0; i < order.hosts.size(); ++i) EXPECT_EQ(order.of_endport[order.hosts[i]], i);
}

TEST(TopologicalOrder, MovesOnlyTheHostsBehindAMissingOneOnItsLeaf) {
  const auto ids = [](const Fabric& fabric) {
    const FatTree tree = *rank(fabric);
    const NodeOrder order = topological_order(tree, UpDownCosts(tree));
    std::map<std::string, std::uint32_t> by_name;
    for (const EndportId e : order.hosts) by_name[fabric.at(e).description] = order.of_endport[e];
    return by_name;
  };
  const Fabric whole = test::draw("L0:3 L1:3 L2:3 S; L0-S L1-S L2-S");
  const auto before = ids(whole);
  auto after = ids(without_endport(whole, test::endport_named(whole, "h4")));
  EXPECT_EQ(before.at("h5"), 5U);
  EXPECT_EQ(after.at("h5"), 4U) << "on the same leaf";
  after.at("h5") = before.at("h5");
  after["h4"] = before.at("h4");
  EXPECT_EQ(before, after);
}

TEST(TopologicalOrder, FollowsTheLeavesOfAGeneratedTree) {
  const Fabric fabric = *generate_pgft(*PgftSpec::parse("3;2,3,4;1,2,2;1,1,1"));
  const FatTree tree = *rank(fabric);
  const NodeOrder order = topological_order(tree, UpDownCosts(tree));
  ASSERT_EQ(order.hosts.size(), 24U);
  for (std::size_t i = 0; i < order.hosts.size(); ++i) EXPECT_EQ(index(order.hosts[i]), i);
}

}  // namespace
}  // namespace espalier
