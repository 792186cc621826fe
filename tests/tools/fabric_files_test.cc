// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include <gtest/gtest.h>

#include <string>

#include "core/io/file.h"
#include "core/io/net/net_reader.h"
#include "core/io/net/net_writer.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"

namespace espalier::test {
namespace {

TEST(FabricFiles, are_the_drawn_fabrics) {
  for (const auto& [name, fabric] : all_drawn_fabrics()) {
    const std::string path = std::string(ESPALIER_TEST_FABRICS "/").append(name).append(".net");
    const Result<std::string> text = read_file(path);
    ASSERT_TRUE(text) << text.error().text() << "; run write_fabrics";
    EXPECT_EQ(*text, write_net(fabric)) << path << " is out of date; run write_fabrics";
    EXPECT_TRUE(identical(read_net(*text, path).value().builder.build().value(), fabric)) << path;
  }
}

}  // namespace
}  // namespace espalier::test
