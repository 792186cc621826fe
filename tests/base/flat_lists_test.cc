// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/base/flat_lists.h"

#include <gtest/gtest.h>

#include <vector>

namespace espalier {
namespace {

TEST(FlatLists, KeepTheOrderOfEachList) {
  const FlatLists<int> lists(4, [](const auto& add) {
    add(2, 7);
    add(0, 5);
    add(2, 6);
    add(3, 1);
  });
  const auto at = [&](std::size_t number) {
    return std::vector<int>(lists.at(number).begin(), lists.at(number).end());
  };
  EXPECT_EQ(at(0), std::vector{5});
  EXPECT_EQ(at(1), std::vector<int>{});
  EXPECT_EQ(at(2), (std::vector{7, 6}));
  EXPECT_EQ(at(3), std::vector{1});
  EXPECT_EQ(lists.num_lists(), 4U);
  EXPECT_EQ(lists.num_items(), 4U);
}

TEST(FlatLists, MayBeNone) {
  EXPECT_EQ(FlatLists<int>().num_lists(), 0U);
  EXPECT_EQ(FlatLists<int>().num_items(), 0U);
}

}  // namespace
}  // namespace espalier
