// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/order/node_types.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/drawing.h"

namespace espalier {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

NodeTypeRule named(std::string type, const std::string& regex, std::string origin = "types:1") {
  NodeTypeRule rule;
  rule.type = std::move(type);
  rule.kind = NodeTypeRule::Kind::kName;
  rule.text = "name " + regex;
  rule.origin = std::move(origin);
  rule.regex = std::make_shared<const std::regex>(regex);
  return rule;
}

std::string types_of(const Fabric& fabric, const NodeTypeRules& rules) {
  const NodeTypeAssignment assignment = assign_node_types(fabric, rules).value();
  std::string text;
  for (const EndportId e : fabric.endports())
    text += (text.empty() ? "" : " ") + assignment.types.types[assignment.types.of_endport[e]].name;
  return text;
}

TEST(NodeTypes, AreThoseOfTheFirstRuleThatMatches) {
  const Fabric fabric = test::draw("L0:4");
  NodeTypeRules rules;
  rules.rules = {named("io", "h[12]"), named("gpu", "h[23]")};
  EXPECT_EQ(types_of(fabric, rules), "compute io io gpu");
  const NodeTypeAssignment assignment = assign_node_types(fabric, rules).value();
  EXPECT_THAT(assignment.rule.raw(), ElementsAre(NodeTypeAssignment::kNoRule, 0, 0, 1));
  EXPECT_THAT(assignment.matches, ElementsAre(2U, 1U));
}

TEST(NodeTypes, AreNumberedAsOrderedThenOthersThenAsTheyAppear) {
  const Fabric fabric = test::draw("L0:2");
  NodeTypeRules rules;
  rules.rules = {named("b", "h0"), named("a", "h1")};
  rules.order = {"a"};
  rules.others = "rest";
  rules.weights = {{"a", 3}};
  const NodeTypes types = assign_node_types(fabric, rules).value().types;
  EXPECT_THAT(types.types.raw(), ElementsAre(NodeType{"a", 3}, NodeType{"rest", 1}, NodeType{"b", 1}));
}

TEST(NodeTypes, OfRoutersAndAggregationNodesAreAutomatic) {
  EXPECT_EQ(types_of(test::draw("L0:1 L0:router L0:an"), {}), "compute router aggregation-node");
  NodeTypeRules rules;
  rules.rules = {named("all", ".")};
  rules.rules[0].kind = NodeTypeRule::Kind::kRouter;
  EXPECT_EQ(types_of(test::draw("L0:1 L0:router L0:an"), rules), "compute all aggregation-node");
}

TEST(NodeTypes, ComeFromListsOfGuidsBehindTheRules) {
  const Fabric fabric = test::draw("L0:4");
  const auto port = [&](std::size_t e) { return fabric.at(id_at<EndportId>(e)).port_guid; };
  NodeTypeRules io_only;
  add_guid_lists(io_only, {{port(3), port(1)}, "io.guids"}, {});
  EXPECT_EQ(types_of(fabric, io_only), "compute io compute io");
  EXPECT_TRUE(assign_node_types(fabric, io_only).value().warnings(fabric, io_only).empty());

  NodeTypeRules both;
  both.rules = {named("login", "h3")};
  add_guid_lists(both, {{port(3), port(1)}, "io.guids"}, {{port(0)}, "cn.guids"});
  EXPECT_EQ(types_of(fabric, both), "compute io other login");
}

TEST(NodeTypes, WarnOfRulesAndHostsThatNothingMatches) {
  const Fabric fabric = test::draw("L0:5");
  NodeTypeRules rules;
  rules.rules = {named("io", "h0", "types:1"), named("io", "oss", "types:2")};
  const auto warnings = assign_node_types(fabric, rules).value().warnings(fabric, rules);
  ASSERT_EQ(warnings.size(), 2U);
  EXPECT_EQ(warnings[0], "types:2: no end port gets type io by \"name oss\"");
  EXPECT_THAT(warnings[1], HasSubstr("no rule matches 4 hosts, typed as compute: "));
  EXPECT_THAT(warnings[1], HasSubstr("(h3), ..."));
  rules.others_are_meant = true;
  EXPECT_EQ(assign_node_types(fabric, rules).value().warnings(fabric, rules).size(), 1U);
}

}  // namespace
}  // namespace espalier
