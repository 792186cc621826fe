// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/io/lists/switch_rules_file.h"

namespace espalier {
namespace {

using testing::HasSubstr;

std::string complaint(std::string_view text) {
  const auto rules = read_switch_rules(text, "rules");
  return rules ? "" : rules.error().text();
}

Switch switch_called(std::string description, std::uint64_t guid = 1) {
  Switch s;
  s.guid = Guid{guid};
  s.description = std::move(description);
  return s;
}

TEST(SwitchRules, ReadEveryKindOfLine) {
  const auto rules = read_switch_rules(
      "# remark\nroot name ^core # tops\nrank 1 nodes agg[01-03]\n\nexclude guid 0x10-0x1f\r\nexclude name a#b\n"
      "spine_threshold 0.25",
      "rules");
  ASSERT_TRUE(rules) << rules.error().text();
  ASSERT_EQ(rules->roots.size(), 1U);
  EXPECT_TRUE(rules->roots[0].matches(switch_called("core-1")));
  EXPECT_FALSE(rules->roots[0].matches(switch_called("leaf of core-1")));
  ASSERT_EQ(rules->ranks.size(), 1U);
  EXPECT_EQ(rules->ranks[0].rank, 1U);
  EXPECT_TRUE(rules->ranks[0].rule.matches(switch_called("agg02.site.org Mellanox")));
  ASSERT_EQ(rules->excluded.size(), 2U);
  EXPECT_TRUE(rules->excluded[0].matches(switch_called("", 0x1f)));
  EXPECT_FALSE(rules->excluded[0].matches(switch_called("", 0x20)));
  EXPECT_TRUE(rules->excluded[1].matches(switch_called("a#b")));
  EXPECT_DOUBLE_EQ(rules->spine_threshold, 0.25);
}

TEST(SwitchRules, TakeNamesInQuotes) {
  const auto rules = read_switch_rules("rank 2 nodes \"row 1 leaf 2\",agg[1-2]  # \"tops\"", "rules");
  ASSERT_TRUE(rules) << rules.error().text();
  EXPECT_TRUE(rules->ranks[0].rule.matches(switch_called("row 1 leaf 2")));
  EXPECT_TRUE(rules->ranks[0].rule.matches(switch_called("agg1 Mellanox")));
  EXPECT_FALSE(rules->ranks[0].rule.matches(switch_called("row 1 leaf 3")));
  EXPECT_THAT(complaint("root nodes \"row 1"), HasSubstr("rules:1: a closing quote is missing in \"row 1"));
}

TEST(SwitchRules, NameFileAndLineOfWhatIsWrong) {
  EXPECT_THAT(complaint("root name x\ntop name y"), HasSubstr("rules:2: no line begins with \"top\""));
  EXPECT_THAT(complaint("rank name x"), HasSubstr("rules:1: a rank must be a number from 0 to 62"));
  EXPECT_THAT(complaint("rank 99 name x"), HasSubstr("a rank must be a number from 0 to 62"));
  EXPECT_THAT(complaint("exclude name ("), HasSubstr("is not a supported regular expression"));
  EXPECT_THAT(complaint("exclude router"), HasSubstr("routers are not switches"));
  EXPECT_THAT(complaint("exclude"), HasSubstr("is not a rule for switches; a line must be root RULE, rank N RULE"));
  EXPECT_THAT(complaint("spine_threshold 2"), HasSubstr("spine_threshold must be a number from 0 to 1"));
}

}  // namespace
}  // namespace espalier
