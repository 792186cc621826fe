// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Files as gzip makes them, and tables in the compact dialect.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "core/io/gzip.h"
#include "core/io/lft/lft_compact.h"
#include "core/io/lft/lft_dump.h"
#include "core/io/lft/lft_text.h"
#include "tests/support/drawing.h"

namespace espalier {
namespace {

using testing::HasSubstr;

std::string gzipped(const std::string& text) {
  std::FILE* const file = std::tmpfile();
  EXPECT_TRUE(gzip_into(file, [&](std::FILE* out) -> Status {
    return std::fwrite(text.data(), 1, text.size(), out) == text.size() ? Status{} : fail("no");
  }));
  std::string content(static_cast<std::size_t>(std::fseek(file, 0, SEEK_END) == 0 ? std::ftell(file) : 0), '\0');
  std::rewind(file);
  EXPECT_EQ(std::fread(content.data(), 1, content.size(), file), content.size());
  (void)std::fclose(file);
  return content;
}

TEST(Gzip, WhatIsCompressedComesBack) {
  std::string text;
  for (int i = 0; i < 200000; ++i) text += std::to_string(i * 7919 % 1009);
  for (const std::string& some : {text, std::string(), std::string("x")}) {
    const std::string content = gzipped(some);
    EXPECT_TRUE(is_gzip(content));
    EXPECT_EQ(gunzip(content, "F", 1U << 30U).value(), some);
  }
  const std::string two = gzipped("a") + gzipped("b");
  EXPECT_EQ(gunzip(two, "F", 10).value(), "ab") << "as cat makes them";
}

TEST(Gzip, WhatIsBrokenOrTooLargeIsRefused) {
  const std::string content = gzipped(std::string(1000000, 'x'));
  EXPECT_THAT(gunzip(content, "F", 999999).error().text(), HasSubstr("F: larger than 999999 bytes when decompressed"));
  EXPECT_THAT(gunzip(content.substr(0, content.size() / 2), "F", 1U << 30U).error().text(), HasSubstr("cut off"));
  EXPECT_THAT(gunzip(content + "more", "F", 1U << 30U).error().text(), HasSubstr("something follows"));
  std::string broken = content;
  broken[broken.size() / 2] = static_cast<char>(~broken[broken.size() / 2]);
  EXPECT_FALSE(gunzip(broken, "F", 1U << 30U));
}

struct Routed {
  Fabric fabric = test::draw("L0:1 L0-S0 L1:1 L1-S0 L0-L1");
  ForwardingTables tables{fabric.num_switches(), fabric.top_lid()};
  Routed() {
    for (const SwitchId s : fabric.switches())
      for (std::size_t lid = 1; lid < tables.width(); ++lid)
        if (lid % 4 != index(s)) tables.set(s, id_at<Lid>(lid), id_at<PortNum>(lid % 3));
  }
};

TEST(CompactTables, SayWhatTheDumpSays) {
  const Routed routed;
  const std::string compact = write_compact_lfts(routed.fabric, routed.tables);
  EXPECT_EQ(read_lfts(compact, "F", routed.fabric).value(), routed.tables);
  const auto rows = read_lft_text(compact, "F").value();
  const auto same = read_lft_text(write_lfts(routed.fabric, routed.tables), "F").value();
  ASSERT_EQ(rows.size(), same.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].guid, same[i].guid);
    EXPECT_EQ(rows[i].description, same[i].description);
    EXPECT_EQ(rows[i].ports, same[i].ports);
  }
}

TEST(CompactTables, EveryCutIsNoticed) {
  const Routed routed;
  const std::string compact = write_compact_lfts(routed.fabric, routed.tables);
  for (std::size_t length = 17; length < compact.size(); ++length)
    EXPECT_FALSE(read_lfts(std::string_view(compact).substr(0, length), "F", routed.fabric)) << length;
  EXPECT_THAT(read_lfts(compact + "x", "F", routed.fabric).error().text(),
              HasSubstr("something follows the last table"));
  EXPECT_THAT(read_lfts("espalier tables 2\n", "F", routed.fabric).error().text(), HasSubstr("later version"));
}

}  // namespace
}  // namespace espalier
