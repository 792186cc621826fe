// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/lft/lft_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace espalier {
namespace {

using ::testing::HasSubstr;

constexpr const char* kTwoSwitches =
    "Unicast lids [0-3] of switch Lid 2 guid 0x0000000000000020 ('b (2)'):\n"
    "0x0001 017 # Switch portguid 0x0000000000000010: 'a'\n"
    "0x0003 000 # unknown node and type\n"
    "3 lids dumped\n"
    "\n"
    "# a remark\n"
    "Unicast lids [0x0-0x3] of switch Lid 1 guid 0x0000000000000010 (a):\n"
    "  Lid  Out   Destination\n"
    "       Port     Info\n"
    "0x0001 000 : (Switch portguid 0x0000000000000010: 'a')\n"
    "1 valid lids dumped\n";

std::string error_of(std::string_view text) {
  const auto rows = read_lft_text(text, "FILE");
  return rows ? "no error" : rows.error().text();
}

TEST(LftText, reads_both_dialects_in_guid_order) {
  const std::vector<LftRow> rows = read_lft_text(kTwoSwitches, "FILE").value();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].guid, Guid{0x10});
  EXPECT_EQ(rows[0].description, "a");
  EXPECT_THAT(rows[0].ports, ::testing::ElementsAre(kNoPort, PortNum{0}));
  EXPECT_EQ(rows[1].description, "b (2)");
  EXPECT_THAT(rows[1].ports, ::testing::ElementsAre(kNoPort, PortNum{17}, kNoPort, PortNum{0}));
}

TEST(LftText, names_file_and_line_of_what_is_wrong) {
  const std::string header = "Unicast lids [0-3] of switch Lid 2 guid 0x20 ('b'):\n";
  EXPECT_THAT(error_of(""), HasSubstr("FILE: it contains no forwarding table"));
  EXPECT_THAT(error_of("hello\n"), HasSubstr("FILE:1: neither"));
  EXPECT_THAT(error_of("0x0001 001\n"), HasSubstr("FILE:1: an entry outside"));
  EXPECT_THAT(error_of(header + "0x0001 001\n"), HasSubstr("FILE:2: the text ends within"));
  EXPECT_THAT(error_of(header + header), HasSubstr("FILE:2: a table begins within another"));
  EXPECT_THAT(error_of(header + "0x0001 001\n0x0001 001\n"), HasSubstr("FILE:3: a second entry for LID 0x0001"));
  EXPECT_THAT(error_of(header + "0x0000 001\n"), HasSubstr("not a unicast LID"));
  EXPECT_THAT(error_of(header + "0xc000 001\n"), HasSubstr("not a unicast LID"));
  EXPECT_THAT(error_of(header + "0x0001 255\n"), HasSubstr("no port number"));
  EXPECT_THAT(error_of(header + "0x0001 12x\n"), HasSubstr("no port number"));
  EXPECT_THAT(error_of(header + "0x0001\n"), HasSubstr("no port number"));
  EXPECT_THAT(error_of(header + "1 lids dumped\n" + header + "1 lids dumped\n"), HasSubstr("two tables of switch"));
  EXPECT_THAT(error_of("Unicast lids [0-3] of switch Lid 2\n"), HasSubstr("without the GUID"));
}

}  // namespace
}  // namespace espalier
