// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/last_ranked.h"

#include <gtest/gtest.h>

#include "tests/support/drawing.h"

namespace espalier {
namespace {

TEST(LastRanked, RanksAnewWhereTheFabricOrAnOptionIsAnother) {
  const auto fabric = std::make_shared<const Fabric>(test::draw("A:2 B:2 S T; A-S B-S A-T B-T"));
  const auto other = std::make_shared<const Fabric>(*fabric);
  LastRanked last;
  const auto first = last.rank(fabric, {}).value();
  EXPECT_EQ(last.rank(fabric, {}).value(), first);
  const auto second = last.rank(other, {}).value();
  EXPECT_NE(second, first);
  EXPECT_EQ(&second->fabric(), other.get());
  const auto third = last.rank(other, {.roots = {fabric->at(SwitchId{2}).guid}}).value();
  EXPECT_NE(third, second);
  EXPECT_FALSE(last.rank(other, {.roots = {Guid{1}}})) << "no such switch";
  EXPECT_TRUE(last.rank(other, {}));
}

}  // namespace
}  // namespace espalier
