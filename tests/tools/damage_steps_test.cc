// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What --damage may say.
#include "core/tools/campaign/damage_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace espalier::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr Damage kMost{200, 40, 10, 1000, 0};

// "links 3" for each step, "none" for no damage.
std::vector<std::string> steps_of(std::string_view text) {
  std::vector<std::string> words;
  const auto steps = parse_damage(text, kMost);
  EXPECT_TRUE(steps) << text << ": " << steps.error().text();
  if (!steps) return {};
  for (const DamageStep& step : *steps)
    words.push_back(step.amount == 0 ? step.kind : step.kind + " " + std::to_string(step.amount));
  return words;
}

std::string error_of(std::string_view text) {
  const auto steps = parse_damage(text, kMost);
  EXPECT_FALSE(steps) << text;
  return steps ? "" : steps.error().text();
}

TEST(DamageSteps, are_no_damage_at_all_when_nothing_is_said) { EXPECT_THAT(steps_of(""), ElementsAre("none")); }

TEST(DamageSteps, are_counts_and_percentages_of_what_there_is) {
  EXPECT_THAT(steps_of("links:3,2.5%,50%"), ElementsAre("links 3", "links 5", "links 100"));
}

TEST(DamageSteps, of_a_range_are_evenly_apart) {
  EXPECT_THAT(steps_of("links:0..30%/4"), ElementsAre("none", "links 20", "links 40", "links 60"));
  EXPECT_THAT(steps_of("links:10%..30%/3"), ElementsAre("links 20", "links 40", "links 60"));
  EXPECT_EQ(steps_of("endports:0..600").size(), 7U) << "seven steps unless told otherwise";
}

TEST(DamageSteps, of_a_logarithmic_range_multiply_one_plus_the_count) {
  EXPECT_THAT(steps_of("links:0..127/8log"),
              ElementsAre("none", "links 1", "links 3", "links 7", "links 15", "links 31", "links 63", "links 127"));
}

TEST(DamageSteps, of_several_kinds_share_the_whole_fabric) {
  EXPECT_THAT(steps_of("switches:0,2,links:0,1,spines:4,endports:5"),
              ElementsAre("none", "switches 2", "links 1", "spines 4", "endports 5"));
  EXPECT_THAT(steps_of("links:2,switches:1,links:1"), ElementsAre("links 1", "links 2", "switches 1"));
}

TEST(DamageSteps, happen_once_where_rounding_makes_them_equal) {
  EXPECT_THAT(steps_of("spines:0..2/7"), ElementsAre("none", "spines 1", "spines 2"));
}

TEST(DamageSteps, say_how_many_there_are) {
  const auto steps = parse_damage("links:7", kMost);
  ASSERT_TRUE(steps);
  EXPECT_THAT(*steps, ElementsAre(DamageStep{"links", 7, 200}));
}

TEST(DamageSteps, are_orders_for_degrade) {
  const Damage damage = DamageStep{"switches", 3, 40}.damage(17);
  EXPECT_EQ(damage.switches, 3U);
  EXPECT_EQ(damage.links + damage.spines + damage.endports, 0U);
  EXPECT_EQ(damage.seed, 17U);
}

TEST(DamageSteps, that_cannot_be_read_are_refused_with_an_example) {
  for (const char* text : {"links:x", "links:", "links:-1", "links:1.5", "links:101%", "links:5%..1%", "links:1..",
                           "links:1,,2", "links:nan%", "links:1..2..3"}) {
    EXPECT_THAT(error_of(text), HasSubstr("is not an amount of damage; as in --damage links:0..30%/7")) << text;
  }
  EXPECT_THAT(error_of("cables:1"),
              HasSubstr("unknown kind of damage \"cables\"; use links, switches, spines or endports"));
  for (const char* text : {"5", ",", "5,links:1"})
    EXPECT_THAT(error_of(text), HasSubstr("does not begin with a kind of damage")) << text;
  for (const char* text : {"links:0..9/1", "links:0..9/x", "links:0..9/1001", "links:0..9/7lin"})
    EXPECT_THAT(error_of(text), HasSubstr("needs a number of steps from 2 to 1000")) << text;
  EXPECT_THAT(error_of("spines:11"), HasSubstr("cannot remove 11 spines: the fabric has 10"));
}

}  // namespace
}  // namespace espalier::tools
