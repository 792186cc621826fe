// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/unexpected_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace espalier {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

bool is_known(const std::string& name) { return name == "balanced" || name == "updn"; }

TEST(UnexpectedEngine, ReadsTheListAsOpenSmDoes) {
  EXPECT_THAT(listed_engines(" balanced,updn  minhop,"), ElementsAre("balanced", "updn", "minhop"));
  EXPECT_THAT(listed_engines(""), ElementsAre());
}

TEST(UnexpectedEngine, IsSilentWhenTheFirstOfTheListRoutes) {
  EXPECT_EQ(unexpected_engine({"balanced", "updn"}, "balanced", is_known), "");
  EXPECT_EQ(unexpected_engine({}, "minhop", is_known), "");
}

TEST(UnexpectedEngine, TellsADeclineFromATypingError) {
  EXPECT_THAT(unexpected_engine({"balanced", "updn", "no_fallback"}, "updn", is_known),
              HasSubstr("routed by updn, but opensm.conf asks for balanced first: balanced declined"));
  EXPECT_THAT(unexpected_engine({"balnced", "updn"}, "updn", is_known), HasSubstr("no engine named balnced"));
}

}  // namespace
}  // namespace espalier
