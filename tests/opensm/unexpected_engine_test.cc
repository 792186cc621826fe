// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/unexpected_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace espalier {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

bool is_known(const std::string& name) { return name == "balanced" || name == "updn"; }

TEST(UnexpectedEngine, ReadsTheListAsOpenSmDoes) {
  EXPECT_THAT(listed_engines(" balanced,updn  minhop,"), ElementsAre("balanced", "updn", "minhop"));
  EXPECT_THAT(listed_engines(""), ElementsAre());
  EXPECT_THAT(listed_engines("no_fallback dmodc"), ElementsAre("dmodc")) << "which is a wish, not an engine";
}

TEST(UnexpectedEngine, IsSilentWhenTheFirstOfTheListRoutes) {
  EXPECT_EQ(unexpected_engine({"balanced", "updn"}, "balanced", is_known), "");
  EXPECT_EQ(unexpected_engine({}, "minhop", is_known), "");
}

TEST(UnexpectedEngine, TellsADeclineFromATypingError) {
  EXPECT_EQ(
      unexpected_engine({"balanced", "updn"}, "updn", is_known),
      "the subnet is routed by updn, but opensm.conf asks for balanced first: balanced declined for the reason given "
      "earlier in this log");
  EXPECT_THAT(unexpected_engine({"balnced", "updn"}, "updn", is_known),
              EndsWith("no engine named balnced; check the spelling"));
}

// As with routing_engine dragonfly,updn on a fabric without roots, which updn wants.
TEST(UnexpectedEngine, NamesAllThatDeclinedAndWhatTheFallbackMeans) {
  EXPECT_THAT(
      unexpected_engine({"balanced", "updn"}, "minhop", is_known),
      EndsWith("first: balanced and updn declined for the reasons given earlier in this log; minhop, which OpenSM "
               "takes when none of the list routes, can form credit loops; add dmodc, which routes any fabric, to "
               "the list"));
  EXPECT_THAT(unexpected_engine({"balnced", "updn", "dmodc"}, "minhop", is_known),
              AllOf(HasSubstr("updn declined for the reason"), HasSubstr("no engine named balnced, dmodc"),
                    EndsWith("can form credit loops")));
}

}  // namespace
}  // namespace espalier
