// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/io/lists/path_shares_file.h"
#include "tests/support/drawing.h"

namespace espalier::test {
namespace {

using ::testing::HasSubstr;

class PathShares : public ::testing::Test {
 protected:
  [[nodiscard]] std::string host(std::size_t i) const {
    return fmt::format("0x{:x}", index(fabric.at(id_at<EndportId>(i)).port_guid));
  }
  [[nodiscard]] SwitchId leaf(std::size_t i) const { return fabric.at(id_at<EndportId>(i)).leaf; }
  [[nodiscard]] std::string guid(SwitchId s) const { return fmt::format("0x{:x}", index(fabric.at(s).guid)); }
  // The switch that is no leaf.
  [[nodiscard]] SwitchId spine() const {
    for (const SwitchId s : fabric.switches())
      if (s != leaf(0) && s != leaf(2)) return s;
    return kNoSwitch;
  }

  Fabric fabric = draw("L0:2 L1:2 L0-S0 L1-S0");
};

TEST_F(PathShares, AreReadAsTheyWereWritten) {
  const std::vector<PathShare> shares = {{EndportId{0}, EndportId{1}, 1, {}},
                                         {EndportId{0}, EndportId{2}, 0.25, {spine(), leaf(2)}}};
  const auto read = read_path_shares(write_path_shares(fabric, shares), "f", fabric);
  ASSERT_TRUE(read.has_value()) << read.error().text();
  ASSERT_EQ(read->size(), 2U);
  EXPECT_TRUE((*read)[0].switches.empty());
  EXPECT_EQ((*read)[1].to, EndportId{2});
  EXPECT_EQ((*read)[1].weight, 0.25);
  EXPECT_EQ((*read)[1].switches, shares[1].switches);
}

TEST_F(PathShares, RefuseWhatMakesNoSenseByFileAndLine) {
  const std::string to = host(0) + " " + host(2);
  for (const std::string& bad :
       {host(0), to, to + " 0", to + " -1", to + " x", to + " inf", host(0) + " 0xdead 1", "0xdead " + host(0) + " 1",
        to + " 1", to + " 1 " + guid(leaf(2)), to + " 1 " + guid(spine()), to + " 1 0xdead"})
    EXPECT_THAT(read_path_shares("\n" + bad, "f", fabric).error().text(), HasSubstr("f:2: ")) << bad;
}

}  // namespace
}  // namespace espalier::test
