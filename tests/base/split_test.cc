// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/base/split.h"

#include <gtest/gtest.h>

namespace espalier {
namespace {

using Parts = std::vector<std::string_view>;

TEST(Split, GivesOnePartMoreThanThereAreSeparators) {
  EXPECT_EQ(split("a,b,c", ','), (Parts{"a", "b", "c"}));
  EXPECT_EQ(split("one", ','), Parts{"one"});
  EXPECT_EQ(split("a,b:c", ':'), (Parts{"a,b", "c"}));
}

TEST(Split, KeepsEmptyParts) {
  EXPECT_EQ(split("", ','), Parts{""});
  EXPECT_EQ(split(",", ','), (Parts{"", ""}));
  EXPECT_EQ(split(",a,,b,", ','), (Parts{"", "a", "", "b", ""}));
}

TEST(SplitWords, LeavesOutEmptyParts) {
  EXPECT_EQ(split_words("dmodc, updn\tminhop", ", \t"), (Parts{"dmodc", "updn", "minhop"}));
  EXPECT_EQ(split_words("  one ", " "), Parts{"one"});
  EXPECT_TRUE(split_words(" , ", ", ").empty());
  EXPECT_TRUE(split_words("", ", ").empty());
}

}  // namespace
}  // namespace espalier
