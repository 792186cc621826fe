// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/order/node_order.h"

#include <gtest/gtest.h>

#include <map>

#include "core/tree/rank.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"
#include "tests/support/without.h"

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

std::map<std::string, std::uint32_t> ids(const Fabric& fabric, const std::vector<HostPlace>& ghosts = {}) {
  const FatTree tree = *rank(fabric, {.ghosts = ghosts});
  const NodeOrder order = topological_order(tree, UpDownCosts(tree));
  std::map<std::string, std::uint32_t> by_name;
  for (const EndportId e : order.hosts) by_name[fabric.at(e).description] = order.of_endport[e];
  return by_name;
}

HostPlace place_of(const Fabric& fabric, std::string_view host) {
  const Endport& e = fabric.at(test::endport_named(fabric, host));
  return {fabric.at(e.leaf).guid, e.leaf_port};
}

TEST(TopologicalOrder, GoesOnWithoutAGapFromLeafToLeaf) {
  const auto by_name = ids(test::draw("L0:1 L1:3 L2:2 S; L0-S L1-S L2-S"));
  EXPECT_EQ(by_name.at("h1"), 1U) << "the first of L1, though other leaves have more hosts than L0";
  EXPECT_EQ(by_name.at("h4"), 4U);
}

TEST(TopologicalOrder, KeepsTheNumbersOfAllWhileAHostIsAwayWhosePlaceIsRemembered) {
  const Fabric whole = test::draw("L0:3 L1:3 L2:1 S; L0-S L1-S L2-S");
  std::vector<HostPlace> ghosts;
  for (const char* host : {"h6", "h4", "h3", "h0", "h1"}) ghosts.push_back(place_of(whole, host));
  const auto before = ids(whole);
  EXPECT_EQ(ids(whole, ghosts), before) << "whose place is taken is no ghost";
  for (const char* host : {"h4", "h3", "h6"}) {
    auto after = ids(without_endport(whole, test::endport_named(whole, host)), ghosts);
    after[host] = before.at(host);
    EXPECT_EQ(after, before) << "without " << host;
  }
  EXPECT_EQ(ids(without_endport(whole, test::endport_named(whole, "h2")), ghosts).at("h3"), 2U)
      << "nobody remembers h2";
}

TEST(TopologicalOrder, FollowsTheLeavesOfAGeneratedTree) {
  const Fabric fabric = test::pgft("3;2,3,4;1,2,2;1,1,1");
  const FatTree tree = *rank(fabric);
  const NodeOrder order = topological_order(tree, UpDownCosts(tree));
  ASSERT_EQ(order.hosts.size(), 24U);
  for (std::size_t i = 0; i < order.hosts.size(); ++i) EXPECT_EQ(index(order.hosts[i]), i);
}

}  // namespace
}  // namespace espalier
