// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/base/text.h"

#include <gtest/gtest.h>

#include "core/base/result.h"

namespace espalier {
namespace {

TEST(Counted, HasAPluralForEveryNumberButOne) {
  EXPECT_EQ(counted(0, "link"), "0 links");
  EXPECT_EQ(counted(1, "link"), "1 link");
  EXPECT_EQ(counted(2, "link"), "2 links");
  EXPECT_EQ(counted(0, "switch", "switches"), "0 switches");
  EXPECT_EQ(counted(1, "switch", "switches"), "1 switch");
  EXPECT_EQ(counted(21, "entry", "entries"), "21 entries");
}

TEST(Listed, NamesAsManyAsThereIsRoomForAndCountsTheOthers) {
  EXPECT_EQ(listed({}, 2), "");
  EXPECT_EQ(listed({"A"}, 2), "A");
  EXPECT_EQ(listed({"A", "B"}, 2), "A, B");
  EXPECT_EQ(listed({"A", "B", "C", "D"}, 2), "A, B and 2 more");
}

TEST(Printable, KeepsWhatPeopleWrite) {
  for (const char* text : {"", "leaf 1 U1/P3 \"x\" \\", "caf\xC3\xA9", "\xE6\xA9\x8B", "\xF0\x9F\x8C\xB3"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, EscapesWhatATerminalObeys) {
  EXPECT_EQ(printable("a\nb\x1B[2J\x7F"), "a\\x0ab\\x1b[2J\\x7f");
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m"),
            "\\xc2\\x9b31m")
      << "U+009B begins a sequence as ESC [ does";
  EXPECT_EQ(printable("\x9B"
                      "31m"),
            "\\x9b31m")
      << "the same in Latin 1";
  EXPECT_EQ(printable("\xE2\x80\xAE"
                      "gnp"),
            "\\xe2\\x80\\xaegnp")
      << "right-to-left override";
  EXPECT_EQ(printable("\xE2\x80\xA8"), "\\xe2\\x80\\xa8") << "line separator";
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\x00b");
}

TEST(Printable, EscapesBytesThatAreNotUtf8) {
  EXPECT_EQ(printable("\xFF"), "\\xff");
  EXPECT_EQ(printable("\xC0\xAF"), "\\xc0\\xaf") << "overlong";
  EXPECT_EQ(printable("\xE0\x80\x80"), "\\xe0\\x80\\x80") << "overlong";
  EXPECT_EQ(printable("\xED\xA0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
  EXPECT_EQ(printable("\xF4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "above U+10FFFF";
  EXPECT_EQ(printable("\xE6\xA9"), "\\xe6\\xa9") << "cut";
}

TEST(Printable, ChangesNothingTheSecondTime) {
  std::string all;
  for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
  EXPECT_EQ(printable(printable(all)), printable(all));
}

TEST(MarkupText, HasNoTagsAndNoQuotes) {
  EXPECT_EQ(markup_text("<a href=\"x\">'&"), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;");
}

TEST(CsvCell, IsTextAndNoFormula) {
  EXPECT_EQ(csv_cell("leaf \"1\""), "\"leaf \"\"1\"\"\"");
  for (const char* text : {"=1+1", "+1", "-1", "@SUM(A1)", "  =1"})
    EXPECT_EQ(csv_cell(text), "\"'" + std::string(text) + "\"");
  EXPECT_EQ(csv_cell("\t=1"), "\"\\x09=1\"") << "a spreadsheet skips a raw tab, not this";
  EXPECT_EQ(csv_cell("a-1"), "\"a-1\"");
}

TEST(WithoutRawControls, EscapesWhatJsonLeaves) {
  EXPECT_EQ(without_raw_controls("{\"a\":\"\x7F\xC2\x9B\xC3\xA9\"}"), "{\"a\":\"\\u007f\\u009b\xC3\xA9\"}");
}

TEST(Error, QuotesNoMegabytes) {
  const std::string text = Error{'"' + std::string(5'000'000, 'x') + "\" is not a GUID", "a", 3, "x"}.text();
  EXPECT_LT(text.size(), 1000U);
  EXPECT_TRUE(text.ends_with("xxx\" is not a GUID; x"));
}

TEST(Error, StaysOnItsLine) { EXPECT_EQ((Error{"no \x1B[31m", "a\nb", 3, "x"}.text()), "a\\x0ab:3: no \\x1b[31m; x"); }

}  // namespace
}  // namespace espalier
