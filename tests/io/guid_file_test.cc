// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/lists/guid_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/io/refusal.h"

namespace espalier {
namespace {

using testing::ElementsAre;

TEST(GuidFile, EveryLineBeginsWithAGuid) {
  const auto guids = read_guids("0x2c90000000001\n0X02 spare words\n0xffffffffffffffff\n", "f");
  ASSERT_TRUE(guids) << guids.error().text();
  EXPECT_THAT(*guids, ElementsAre(Guid{0x2c90000000001}, Guid{2}, Guid{0xffffffffffffffff}));
}

TEST(GuidFile, RemarksBlankLinesCrLfAndAByteOrderMarkAreSkipped) {
  const auto guids = read_guids("\xEF\xBB\xBF# roots\r\n\r\n  0x1# one\r\n\t#\r\n0x2", "f");
  ASSERT_TRUE(guids) << guids.error().text();
  EXPECT_THAT(*guids, ElementsAre(Guid{1}, Guid{2}));
}

TEST(GuidFile, TheRestOfALineIsKeptWithoutItsBlanks) {
  const auto lines = read_guid_lines("\n0x1  \"leaf # 1\"  \n0x2 # remark\n0x3 17\n", "f");
  ASSERT_TRUE(lines) << lines.error().text();
  ASSERT_EQ(lines->size(), 3U);
  EXPECT_EQ((*lines)[0].rest, "\"leaf # 1\"");
  EXPECT_EQ((*lines)[0].line, 2);
  EXPECT_EQ((*lines)[1].rest, "");
  EXPECT_EQ((*lines)[2].rest, "17");
}

TEST(GuidFile, AnEmptyFileHasNoGuids) { EXPECT_THAT(read_guids("", "f").value(), ElementsAre()); }

TEST(GuidFile, WhatIsWrittenReadsBackInTheSameOrder) {
  const std::vector<Guid> guids{Guid{3}, Guid{0xffffffffffffffff}, Guid{1}};
  EXPECT_EQ(write_guids(guids), "0x0000000000000003\n0xffffffffffffffff\n0x0000000000000001\n");
  EXPECT_EQ(read_guids(write_guids(guids), "f").value(), guids);
}

using BadGuids = test::BadText;
class GuidFileRefusal : public test::Refusal {};

TEST_P(GuidFileRefusal, NamesFileLineAndWord) { expect_refused(read_guids(GetParam().text, "roots.txt")); }

INSTANTIATE_TEST_SUITE_P(All, GuidFileRefusal,
                         testing::Values(BadGuids{"0x1\n2c9\n", "roots.txt:2: \"2c9\" is not a GUID"},
                                         BadGuids{"0x\n", "roots.txt:1: \"0x\" is not a GUID"},
                                         BadGuids{"# a\n\n0x12g4\n", "roots.txt:3: \"0x12g4\" is not a GUID"},
                                         BadGuids{"0x12345678901234567\n", "roots.txt:1: \"0x12345678901234567\""},
                                         BadGuids{"0x1,0x2\n", "roots.txt:1: \"0x1,0x2\" is not a GUID"},
                                         BadGuids{"0x0\n", "roots.txt:1: 0 is not a valid GUID"}));

}  // namespace
}  // namespace espalier
