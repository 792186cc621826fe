// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/order/host_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/fabric/fabric_builder.h"
#include "core/fabric/rules/host_name.h"
#include "core/tree/order/node_order.h"
#include "core/tree/order/numbered_names.h"
#include "core/tree/rank.h"
#include "tests/support/drawing.h"

namespace espalier {
namespace {

// Renames the end ports of a drawn fabric, in the order of their ids.
Fabric renamed(const Fabric& fabric, const std::vector<std::string>& names) {
  FabricBuilder builder(fabric);
  for (std::size_t i = 0; i < names.size(); ++i)
    builder.at(id_at<FabricBuilder::EndportHandle>(i)).description = names[i];
  return *std::move(builder).build();
}

std::string text(const Fabric& fabric, const std::vector<EndportId>& hosts) {
  std::string text;
  for (const EndportId e : hosts) text += fabric.at(e).description + ";";
  return text;
}

HostOrder by_names(const FatTree& tree) { return order_by_names(tree, descriptions(tree.fabric())); }

std::string by_names(const Fabric& fabric) {
  const FatTree tree = *rank(fabric);
  return text(fabric, by_names(tree).hosts);
}

const char* const kTwoLeaves = "L0:2 L1:2 S; L0-S L1-S";
const char* const kVendor = "MT4123 ConnectX6   Mellanox Technologies";

TEST(HostOrder, IsTheNaturalOrderOfNames) {
  EXPECT_EQ(by_names(renamed(test::draw(kTwoLeaves), {"n10 HCA-1", "n2 HCA-1", "n9 HCA-1", "n1 HCA-1"})),
            "n1 HCA-1;n2 HCA-1;n9 HCA-1;n10 HCA-1;");
}

// Whether they differ in their first bytes, behind a long common part, in leading zeros alone, or not at all.
TEST(HostOrder, IsTheNaturalOrderOfDrawnNames) {
  std::mt19937 random(2027);
  const auto number = [&] { return std::string(random() % 2, '0') + std::to_string(random() % 120); };
  const std::vector<std::string> fronts{"n", "cluster-of-the-site-", "cluster-of-the-site-b", "N"};
  const Fabric drawn = test::draw("L0:16 L1:16 S; L0-S L1-S");
  for (int round = 0; round < 200; ++round) {
    std::vector<std::string> names(32);
    const std::size_t kinds = 1 + random() % fronts.size();
    for (std::string& name : names) {
      name = fronts[random() % kinds] + number();
      if (random() % 2 == 0) name += "-" + number();
      if (random() % 2 == 0) name += " mlx5_" + number();
    }
    const std::string order = by_names(renamed(drawn, names));
    std::ranges::sort(names, natural_less);
    std::string expected;
    for (const std::string& name : names) expected += name + ";";
    ASSERT_EQ(order, expected);
  }
}

TEST(HostOrder, PutsVendorsDefaultsBehindTheirNeighbors) {
  EXPECT_EQ(by_names(renamed(test::draw("L0:3 L1:3 S; L0-S L1-S"), {"n4", kVendor, "n6", "n1", "n2", "n3"})),
            "n1;n2;n3;n4;" + std::string(kVendor) + ";n6;");
  EXPECT_EQ(by_names(renamed(test::draw("L0:3 L1:3 S; L0-S L1-S"), {kVendor, "n5", "n6", "n1", "n2", "n3"})),
            "n1;n2;n3;" + std::string(kVendor) + ";n5;n6;");
}

TEST(HostOrder, MovesNobodyWhenAHostLosesItsName) {
  const Fabric drawn = test::draw("L0:3 L1:3 S; L0-S L1-S");
  const std::vector<std::string> names{"n1", "n2", "n3", "n4", "n5", "n6"};
  const Fabric whole = renamed(drawn, names);
  const FatTree tree = *rank(whole);
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::vector<std::string> now = names;
    now[i] = kVendor;
    const Fabric fabric = renamed(drawn, now);
    const FatTree changed = *rank(fabric);
    EXPECT_EQ(by_names(changed).hosts, by_names(tree).hosts) << names[i];
  }
}

TEST(HostOrder, IsTopologicalWhereNamesSayNothing) {
  const Fabric fabric = renamed(test::draw(kTwoLeaves), {kVendor, kVendor, kVendor, "n1"});
  const FatTree tree = *rank(fabric);
  const HostOrder order = by_names(tree);
  EXPECT_TRUE(order.hosts.empty());
  EXPECT_EQ(order.basis, "topology, since only 1 of 4 hosts have distinct names");
  EXPECT_EQ(hosts_in_order(tree, order), topological_order(tree, UpDownCosts(tree)).hosts);
}

TEST(HostOrder, HasAPartForEachRail) {
  const Fabric fabric = renamed(test::draw(kTwoLeaves), {"n2 mlx5_0", "n10 mlx5_0", "n2 mlx5_1", "n10 mlx5_1"});
  const FatTree tree = *rank(fabric);
  const HostOrder order = by_names(tree);
  EXPECT_EQ(text(fabric, order.hosts), "n2 mlx5_0;n2 mlx5_1;n10 mlx5_0;n10 mlx5_1;");
  ASSERT_EQ(order.parts.size(), 2U);
  EXPECT_EQ(order.parts[0].name, "mlx5_0");
  EXPECT_EQ(text(fabric, order.parts[0].hosts), "n2 mlx5_0;n10 mlx5_0;");
  EXPECT_EQ(text(fabric, order.parts[1].hosts), "n2 mlx5_1;n10 mlx5_1;");
}

TEST(HostOrder, TakesPartsByWeightAndTheRestByName) {
  const Fabric fabric = renamed(test::draw(kTwoLeaves), {"n1", "n2", "n3", "n4"});
  const FatTree tree = *rank(fabric);
  const auto host = [&](const char* name) { return test::endport_named(fabric, name); };
  const HostOrder order =
      order_by_parts(tree, {{"few", 1, {host("n2"), host("n3")}}, {"many", 3, {host("n4"), host("n3")}}});
  EXPECT_EQ(text(fabric, order.hosts), "n4;n3;n2;n1;");
  EXPECT_EQ(order.basis, "many, few, then 1 host by names");
  ASSERT_EQ(order.parts.size(), 2U);
  EXPECT_EQ(order.parts[0].weight, 3);
}

// L0 and L2 share a spine, L1 and L3 another. Names put L3 first, so its pod comes first and in it L3.
TEST(TopologicalOrder, FollowsTheOrderOfJobsAsFarAsNearnessAllows) {
  const Fabric fabric = renamed(test::draw("L0:2 L1:2 L2:2 L3:2 A B T; L0-A L2-A L1-B L3-B A-T B-T"),
                                {"n3", "n4", "n8", "n7", "n5", "n6", "n2", "n1"});
  const FatTree tree = *rank(fabric);
  const HostOrder jobs = by_names(tree);
  const NodeOrder order = topological_order(tree, UpDownCosts(tree), jobs.hosts);
  EXPECT_EQ(text(fabric, order.hosts), "n1;n2;n7;n8;n3;n4;n5;n6;");
  EXPECT_EQ(order.jobs, jobs.hosts);
  for (std::size_t i = 0; i < order.hosts.size(); ++i) EXPECT_EQ(order.of_endport[order.hosts[i]], i);
}

TEST(NumberedNames, KeepTheNumbersOfAllWhenOneIsRenamedOrExchanged) {
  std::vector<std::string> names;
  for (int i = 0; i < 12; ++i) names.push_back("n" + std::to_string(i));
  const Fabric drawn = test::draw("L0:6 L1:6 S; L0-S L1-S");
  const Fabric before = renamed(drawn, names);
  const FatTree tree_before = *rank(before);
  NumberedNames numbered;
  EXPECT_EQ(numbered.learn(tree_before), 0U);
  const auto hosts_before = order_by_names(tree_before, numbered.names(tree_before)).hosts;

  names[3] = "z99";
  const Fabric after = renamed(drawn, names);
  const FatTree tree_after = *rank(after);
  EXPECT_EQ(numbered.learn(tree_after), 0U);
  EXPECT_EQ(order_by_names(tree_after, numbered.names(tree_after)).hosts, hosts_before);
  EXPECT_NE(by_names(tree_after).hosts, hosts_before);
}

TEST(NumberedNames, AreLearnedAnewWhenManyHaveChanged) {
  const Fabric drawn = test::draw(kTwoLeaves);
  const Fabric before = renamed(drawn, {kVendor, kVendor, kVendor, kVendor});
  const Fabric after = renamed(drawn, {"n4", "n3", "n2", "n1"});
  NumberedNames numbered;
  EXPECT_EQ(numbered.learn(*rank(before)), 0U);
  const FatTree tree = *rank(after);
  EXPECT_EQ(numbered.learn(tree), 4U);
  EXPECT_EQ(text(after, order_by_names(tree, numbered.names(tree)).hosts), "n1;n2;n3;n4;");
}

}  // namespace
}  // namespace espalier
