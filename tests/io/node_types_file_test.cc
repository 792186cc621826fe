// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/lists/node_types_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace espalier {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

NodeTypeRules rules_of(std::string_view text) { return read_node_types(text, "types").value(); }

std::string complaint(std::string_view text) {
  const auto rules = read_node_types(text, "types");
  return rules ? "" : rules.error().text();
}

Endport host(std::string description, std::uint64_t port_guid = 0x101) {
  Endport e;
  e.node_guid = Guid{port_guid - 1};
  e.port_guid = Guid{port_guid};
  e.description = std::move(description);
  return e;
}

TEST(NodeTypesFile, ReadsEveryKindOfLineBetweenRemarksAndBlankLines) {
  const NodeTypeRules rules = rules_of(
      "# who is who\n\n"
      "io guid 0x2c9\r\n"
      "  io\tguid 0x300-0x3ff   # the new ones\n"
      "gpu name ^gpu[0-9]+ mlx5_5$\n"
      "login nodes login[1-2],admin\n"
      "gateway router\n"
      "order compute io gpu\n"
      "weight io 4\n"
      "others compute");
  ASSERT_EQ(rules.rules.size(), 5U);
  EXPECT_EQ(rules.rules[0].type, "io");
  EXPECT_EQ(rules.rules[0].text, "guid 0x2c9");
  EXPECT_EQ(rules.rules[0].origin, "types:3");
  EXPECT_EQ(rules.rules[1].text, "guid 0x300-0x3ff");
  EXPECT_EQ(rules.rules[4].origin, "types:7");
  EXPECT_THAT(rules.order, ElementsAre("compute", "io", "gpu"));
  EXPECT_EQ(rules.weights.at("io"), 4U);
  EXPECT_EQ(rules.others, "compute");
  EXPECT_TRUE(rules.others_are_meant);
}

TEST(NodeTypesFile, IsEmptyRulesWhenItIsEmpty) {
  const NodeTypeRules rules = rules_of("");
  EXPECT_TRUE(rules.rules.empty());
  EXPECT_EQ(rules.others, "compute");
  EXPECT_FALSE(rules.others_are_meant);
}

TEST(NodeTypesFile, MatchesPortAndNodeGuidsBothEndsOfARangeIncluded) {
  const NodeTypeRule rule = rules_of("io guid 0x100-0x102").rules[0];
  EXPECT_FALSE(rule.matches(host("a", 0xff)));
  EXPECT_TRUE(rule.matches(host("a", 0x100)));
  EXPECT_TRUE(rule.matches(host("a", 0x102)));
  EXPECT_TRUE(rule.matches(host("its node GUID is 0x102", 0x103)));
  EXPECT_FALSE(rule.matches(host("a", 0x104)));
}

TEST(NodeTypesFile, FindsARegularExpressionAnywhereInTheDescription) {
  const NodeTypeRule rule = rules_of("io name (oss|mds)[0-9]+ ").rules[0];
  EXPECT_TRUE(rule.matches(host("site-oss12 mlx5_5")));
  EXPECT_FALSE(rule.matches(host("OSS12 mlx5_5")));
  const NodeTypeRule port = rules_of("gpu name mlx5_5$   # its last adapter").rules[0];
  EXPECT_TRUE(port.matches(host("n1 mlx5_5")));
  EXPECT_FALSE(port.matches(host("n1 mlx5_50")));
}

TEST(NodeTypesFile, KeepsAHashInsideAWordOfARegularExpression) {
  EXPECT_TRUE(rules_of("io name rack#7 # the corner").rules[0].matches(host("rack#7 n1")));
}

TEST(NodeTypesFile, MatchesSlurmsListsByTheFirstWordWithoutItsDomain) {
  const NodeTypeRule rule = rules_of("job7 nodes n[008-010],login1").rules[0];
  for (const char* name : {"n008 mlx5_0", "n010.site.org mlx5_0", "login1"})
    EXPECT_TRUE(rule.matches(host(name))) << name;
  for (const char* name : {"n007", "n8", "n0080", "mlx5_0 n008", ""}) EXPECT_FALSE(rule.matches(host(name))) << name;
}

TEST(NodeTypesFile, SurvivesARegularExpressionThatTakesOthersExponentialTime) {
  const NodeTypeRule rule = rules_of("io name ^(a*)*b").rules[0];
  EXPECT_FALSE(rule.matches(host(std::string(64, 'a'))));
}

TEST(NodeTypesFile, NamesFileAndLineOfWhatIsWrong) {
  EXPECT_THAT(complaint("io guid 0x1\nio guide 0x2"), StartsWith("types:2: \"guide 0x2\" is not a rule for io"));
  EXPECT_THAT(complaint("\nio guid 12"), StartsWith("types:2: \"12\" is not a GUID"));
  EXPECT_THAT(complaint("io guid 0x0"), StartsWith("types:1: \"0x0\" is not a GUID"));
  EXPECT_THAT(complaint("io guid 0x2-0x1"), StartsWith("types:1: \"0x2-0x1\" ends before it begins"));
  EXPECT_THAT(complaint("io name (oss"), StartsWith("types:1: \"(oss\" is not a supported regular expression"));
  EXPECT_THAT(complaint("io name oss("), StartsWith("types:1: \"oss(\" is not a supported regular expression"));
  EXPECT_THAT(complaint("io name (a)\\1"), StartsWith("types:1: "));
  EXPECT_THAT(complaint("io name " + std::string(201, 'a')), HasSubstr("201 characters; at most 200"));
  EXPECT_THAT(complaint("io nodes n[1-"), StartsWith("types:1: "));
  EXPECT_THAT(complaint("i/o guid 0x1"), StartsWith("types:1: \"i/o\" is not a valid name for a type"));
  EXPECT_THAT(complaint("weight io"), StartsWith("types:1: the weight of io must be a number from 1 to 1000"));
  EXPECT_THAT(complaint("weight io 0"), StartsWith("types:1: the weight"));
  EXPECT_THAT(complaint("weight io 1\nweight io 2"), StartsWith("types:2: io already has a weight"));
  EXPECT_THAT(complaint("order io io"), StartsWith("types:1: io is listed twice"));
  EXPECT_THAT(complaint("order io\norder compute"), StartsWith("types:2: order is given twice"));
  EXPECT_THAT(complaint("order"), StartsWith("types:1: \"\" is not a valid name for a type"));
  EXPECT_THAT(complaint("others a b"), StartsWith("types:1: others takes exactly one type"));
  EXPECT_THAT(complaint("others a\nothers b"), StartsWith("types:2: others is given twice"));
  for (const char* text : {"io", "io name", "io guid", "io nodes", "io guid 0x1 0x2", "io router 1", "io nodes a b"})
    EXPECT_THAT(complaint(text), HasSubstr("types:1: ")) << text;
}

TEST(NodeTypesFile, TakesNamesInQuotesForWholeDescriptions) {
  const NodeTypeRule rule = rules_of("io nodes \"node 01 HCA-1\",\"node 02 HCA-1\",n[1-2],\"n3\"").rules[0];
  for (const char* name : {"node 01 HCA-1", "node 02 HCA-1", "n1 mlx5_0", "n2", "n3 mlx5_1"})
    EXPECT_TRUE(rule.matches(host(name))) << name;
  for (const char* name : {"node 03 HCA-1", "node 01 HCA-2", "node", "node 01"})
    EXPECT_FALSE(rule.matches(host(name))) << name;
  EXPECT_THAT(complaint("\nio nodes \"node 01,n2"), StartsWith("types:2: a closing quote is missing"));
  EXPECT_THAT(complaint("io nodes \"node #1\""), HasSubstr("a closing quote is missing in \"node"));
  EXPECT_THAT(complaint("io nodes \"node 01\" n2"), HasSubstr("is not a rule for io"));
  EXPECT_THAT(complaint("io nodes n1,\"\""), HasSubstr("no name between two quotes"));
}

}  // namespace
}  // namespace espalier
