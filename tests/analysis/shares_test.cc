// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/routes/shares.h"

#include <gtest/gtest.h>

namespace espalier {
namespace {

using List = std::vector<OffsetShare>;

TEST(Shares, AreTheWeightsWhereTheseAreWholeAndSumToOneNumber) {
  LidChoices choices(1);
  choices.add_list({{0, 1}, {1, 4}, {2, 4}});
  choices.add_list({{3, 5}, {1, 4}});
  choices.add_list({{2, 1}});
  const Shares shares = shares_of_lists(choices, 4);
  EXPECT_EQ(shares.per_flow, 9U);
  EXPECT_EQ(shares.of_list, (std::vector<List>{{{0, 9}}, {{0, 1}, {1, 4}, {2, 4}}, {{3, 5}, {1, 4}}, {{2, 9}}}));
}

TEST(Shares, AreRoundedByTheLargestRemainderElse) {
  LidChoices choices(1);
  choices.add_list({{0, 1}, {1, 1}});
  choices.add_list({{0, 1}, {1, 1}, {2, 9}});
  choices.add_list({{0, 1e-9}, {1, 0.3}});
  const Shares shares = shares_of_lists(choices, 4);
  EXPECT_EQ(shares.per_flow, kPartsOfAFlow);
  EXPECT_EQ(shares.of_list[1], (List{{0, 1260}, {1, 1260}}));
  EXPECT_EQ(shares.of_list[2], (List{{0, 229}, {1, 229}, {2, 2062}}));  // 229.09, 229.09, 2061.8
  EXPECT_EQ(shares.of_list[3], (List{{1, 2520}}));
}

TEST(Shares, CountOffsetsModuloThoseThereAre) {
  LidChoices choices(1);
  choices.add_list({{0, 1}, {5, 1}});
  EXPECT_EQ(shares_of_lists(choices, 4).of_list[1], (List{{0, 1}, {1, 1}}));
  EXPECT_EQ(shares_of_lists(LidChoices(1), 4).per_flow, 1U);
}

}  // namespace
}  // namespace espalier
