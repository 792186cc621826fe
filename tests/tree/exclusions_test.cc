// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/tree/costs.h"
#include "core/tree/order/host_places.h"
#include "core/tree/rank.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

using test::draw;
using test::switch_named;
using testing::HasSubstr;

NodeTypeRule named(const std::string& regex) {
  NodeTypeRule rule;
  rule.kind = NodeTypeRule::Kind::kName;
  rule.text = "name " + regex;
  rule.regex = std::make_shared<const std::regex>(regex);
  return rule;
}

std::string told(const FatTree& tree) {
  std::string text;
  for (const Irregularity& irregularity : tree.irregularities())
    if (irregularity.kind == Irregularity::Kind::kExcludedSwitch) text += irregularity.text + "\n";
  return text;
}

bool takes_transit(const FatTree& tree, std::string_view name) {
  return !tree.down_groups(switch_named(tree.fabric(), name)).empty();
}

TEST(Exclusions, KeepASwitchOutOfTheWaysOfOthersAndReachIt) {
  const Fabric fabric = draw("L0:2 L1:2 L2:2; L0-S L0-T L1-S L1-T L2-S L2-T");
  RankOptions options;
  options.switches.excluded = {named("^T$")};
  const FatTree tree = *rank(fabric, options);
  EXPECT_TRUE(takes_transit(tree, "S"));
  EXPECT_FALSE(takes_transit(tree, "T"));
  EXPECT_THAT(told(tree), HasSubstr("(T) carries no transit traffic: exclude name ^T$"));
  const UpDownCosts costs(tree);
  EXPECT_EQ(costs.cost(switch_named(fabric, "L0"), switch_named(fabric, "T")), 1);
  EXPECT_EQ(costs.cost(switch_named(fabric, "T"), switch_named(fabric, "L2")), 1);
}

TEST(Exclusions, LeaveASwitchInItsPlaceThatHostsNeedAndSaySo) {
  const Fabric fabric = draw("L0:2 L1:2 L2:2; L0-S L0-T L1-S L1-T L2-T");
  RankOptions options;
  options.switches.excluded = {named("^[ST]$"), named("^U$")};
  const FatTree tree = *rank(fabric, options);
  EXPECT_FALSE(takes_transit(tree, "S"));
  EXPECT_TRUE(takes_transit(tree, "T"));
  EXPECT_THAT(told(tree), HasSubstr("(T) still carries transit traffic, because some hosts have no other path"));
  EXPECT_THAT(told(tree), HasSubstr("no switch matches exclude name ^U$"));
}

TEST(Exclusions, TakeWeakSpinesOutOfTransit) {
  const Fabric fabric = draw("L0:2 L1:2 L2:2 L3:2; L0-S L0-T L0-U L1-S L1-T L1-U L2-S L2-T L3-S L3-T");
  RankOptions options;
  options.switches.spine_threshold = 0.5;
  EXPECT_TRUE(takes_transit(*rank(fabric, options), "U")) << "half of the links is not less than half";
  options.switches.spine_threshold = 0.6;
  EXPECT_FALSE(takes_transit(*rank(fabric, options), "U"));
  EXPECT_TRUE(takes_transit(*rank(fabric, options), "S"));
}

TEST(Exclusions, TakeRootsByName) {
  const Fabric fabric = test::three_level_tree();
  RankOptions options;
  options.switches.roots = {named("^M[01]$")};
  const FatTree tree = *rank(fabric, options);
  EXPECT_TRUE(tree.up_groups(switch_named(fabric, "M0")).empty());
  EXPECT_FALSE(tree.up_groups(switch_named(fabric, "T0")).empty());
  options.switches.roots = {named("^nobody$")};
  ASSERT_FALSE(rank(fabric, options));
  EXPECT_THAT(rank(fabric, options).error().text(), HasSubstr("no switch matches any of the rules for roots"));
}

TEST(Exclusions, TakeRanksByName) {
  const Fabric fabric = test::three_level_tree();
  RankOptions options;
  options.switches.ranks = {{0, named("^T[0-3]$")}, {1, named("^L0$")}};
  const FatTree tree = *rank(fabric, options);
  EXPECT_EQ(index(tree.level(switch_named(fabric, "T0"))), 2U);
  EXPECT_EQ(index(tree.level(switch_named(fabric, "L0"))), 1U);
  EXPECT_EQ(index(tree.level(switch_named(fabric, "L1"))), 0U);
}

TEST(HostPlaces, RememberWhoWasThereAndForgetWhoMoved) {
  const Fabric whole = draw("L0:2 L1:1 S; L0-S L1-S");
  HostPlaces places;
  places.learn(*rank(whole));
  EXPECT_EQ(places.places().size(), 3U);
  places.learn(*rank(draw("L0:1 L1:2 S; L0-S L1-S")));  // h1 is now on L1
  EXPECT_EQ(places.places().size(), 3U);
}

}  // namespace
}  // namespace espalier
