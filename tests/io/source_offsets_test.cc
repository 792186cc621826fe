// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/io/lists/source_offsets_file.h"
#include "tests/support/drawing.h"

namespace espalier::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(SourceOffsets, AreTheDifferencesOfDigits) {
  SourceOffsets offsets{{24, 3}, IdVector<EndportId, std::uint8_t>(2)};
  offsets.number[EndportId{0}] = 30;  // 6, 1
  offsets.number[EndportId{1}] = 7;   // 7, 0
  EXPECT_EQ(offsets.offset(EndportId{0}, EndportId{1}), 23 + 1 * 24);
  EXPECT_EQ(offsets.offset(EndportId{1}, EndportId{0}), 1 + 2 * 24);
  EXPECT_EQ(offsets.offset(EndportId{1}, EndportId{1}), 0);
}

TEST(SourceOffsets, AreReadAsTheyWereWritten) {
  const Fabric fabric = draw("L0:2 L1:2 L0-S0 L1-S0");
  SourceOffsets offsets{{2, 3}, IdVector<EndportId, std::uint8_t>(4)};
  for (const EndportId e : fabric.endports()) offsets.number[e] = static_cast<std::uint8_t>(5 - index(e));
  const std::string text = write_source_offsets(fabric, offsets);
  const Endport& first = fabric.at(EndportId{0});
  EXPECT_THAT(text, StartsWith(fmt::format("0x{:016x} 1/2 2/3  # {}\n", index(first.port_guid), first.description)));
  EXPECT_EQ(read_source_offsets(text, "f", fabric).value(), offsets);
  EXPECT_EQ(read_source_offsets("0xdead 1/7\n", "f", fabric)->number, (IdVector<EndportId, std::uint8_t>(4)));
}

TEST(SourceOffsets, RefusesWhatMakesNoSenseByFileAndLine) {
  const Fabric fabric = draw("A:1");
  for (const char* bad : {"guid 0/2", "0x2 2/2", "0x2 0/1", "0x2 0/2 0/2", "0x2 0/3", "0x2 0", "0x2 0/", "0x2 0/2x",
                          "0x2 0/129", "0x2 -1/2"})
    EXPECT_THAT(read_source_offsets(std::string("0x1 0/2\n") + bad, "f", fabric).error().text(), HasSubstr("f:2: "))
        << bad;
  EXPECT_THAT(read_source_offsets("0x1 0/64 0/4", "f", fabric).error().text(), HasSubstr("more than 128 LIDs"));
}

}  // namespace
}  // namespace espalier::test
