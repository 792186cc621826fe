// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/base/number.h"

#include <gtest/gtest.h>

namespace espalier {
namespace {

TEST(Number, IsTheWholeWord) {
  EXPECT_EQ(parse_number<unsigned>("0"), 0U);
  EXPECT_EQ(parse_number<unsigned>("4294967295"), 4294967295U);
  EXPECT_EQ(parse_number<int>("-7"), -7);
  EXPECT_EQ(parse_number<double>("2.5"), 2.5);
  for (const char* word : {"", " 1", "1 ", "+1", "1x", "0x10", "1.5", "1e3", "--1"})
    EXPECT_FALSE(parse_number<unsigned>(word)) << word;
}

TEST(Number, ThatDoesNotFitIsNone) {
  EXPECT_FALSE(parse_number<unsigned>("4294967296"));
  EXPECT_FALSE(parse_number<unsigned>("-1"));
  EXPECT_FALSE(parse_number<std::uint64_t>("18446744073709551616"));
  EXPECT_FALSE(parse_number<std::uint8_t>("256"));
  EXPECT_FALSE(parse_number<double>("1e999"));
}

TEST(Number, IsFinite) {
  for (const char* word : {"nan", "-nan", "inf", "-inf", "infinity", "NAN"})
    EXPECT_FALSE(parse_number<double>(word)) << word;
}

TEST(Number, StaysInItsRange) {
  EXPECT_EQ(parse_number<unsigned>("3", 3, 5), 3U);
  EXPECT_EQ(parse_number<unsigned>("5", 3, 5), 5U);
  EXPECT_FALSE(parse_number<unsigned>("2", 3, 5));
  EXPECT_FALSE(parse_number<unsigned>("6", 3, 5));
  EXPECT_FALSE(parse_number("nan", 0.0, 1.0));
}

TEST(HexDigits, AreAllOfTheWord) {
  EXPECT_EQ(parse_hex_digits("fF"), 255U);
  EXPECT_EQ(parse_hex_digits("ffffffffffffffff"), ~std::uint64_t{0});
  for (const char* word : {"", "0x1", "g", "10000000000000000", "-1"}) EXPECT_FALSE(parse_hex_digits(word)) << word;
}

}  // namespace
}  // namespace espalier
