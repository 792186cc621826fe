// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What "Add a format" in core/io/README.md promises: a file pair of a screen, with line numbers, warnings and safety
// from io::LinkList.
#include "tests/io/toy_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fabrics.h"

namespace espalier {
namespace {

using testing::HasSubstr;

Fabric read_back(const std::string& text) {
  Result<ParsedNet> net = test::read_toy(text, "F");
  EXPECT_TRUE(net) << (net ? "" : net.error().text());
  EXPECT_TRUE(net->builder.assign_lids(0, FabricBuilder::Numbering::kKeepComplete));
  return *std::move(net->builder).build();
}

TEST(ToyFormat, ComesBackFromEveryDrawnFabricWithItsLinks) {
  for (const auto& [name, fabric] : test::all_drawn_fabrics()) {
    const std::string text = test::write_toy(fabric);
    if (text.empty()) continue;
    const Fabric same = read_back(text);
    EXPECT_EQ(test::write_toy(same), text) << name;
    EXPECT_EQ(same.num_switch_links(), fabric.num_switch_links()) << name;
  }
}

TEST(ToyFormat, NamesFileAndLineOfWhatItRefuses) {
  EXPECT_EQ(test::read_toy("# links\n0x1[1] 0x2[1]\n0x1[1 0x3[1]\n", "F").error().text(),
            "F:3: this is no link; write GUID[PORT] GUID[PORT]");
  EXPECT_THAT(test::read_toy("0x1[1] 0x2[1]\n0x1[1] 0x3[1]\n", "F").error().text(), HasSubstr("F:2: "));
}

}  // namespace
}  // namespace espalier
