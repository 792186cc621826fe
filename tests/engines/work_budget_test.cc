// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/work_budget.h"

#include <gtest/gtest.h>

namespace espalier {
namespace {

TEST(WorkBudget, NeverSpendsMoreThanThereIs) {
  WorkBudget budget(10);
  EXPECT_TRUE(budget.spend(1'000, 1'000));
  EXPECT_EQ(budget.milliseconds(), 9U);
  EXPECT_FALSE(budget.spend(10'000, 1'000));
  EXPECT_EQ(budget.milliseconds(), 9U) << "what is not affordable costs nothing";
  EXPECT_TRUE(budget.spend(9'000, 1'000));
  EXPECT_EQ(budget.milliseconds(), 0U);
}

TEST(WorkBudget, AddsUpWhatCostsLessThanAMillisecond) {
  WorkBudget budget(1);
  for (int i = 0; i < 1'000; ++i) EXPECT_TRUE(budget.spend(7, 7'000)) << i;
  EXPECT_FALSE(budget.spend(7, 7'000));
}

TEST(WorkBudget, ChargesAtMostWhatIsLeft) {
  WorkBudget budget(2);
  budget.charge(500, 1'000);
  EXPECT_EQ(budget.steps(1'000), 1'500U);
  budget.charge(9'999, 1'000);
  EXPECT_EQ(budget.steps(1'000), 0U);
}

TEST(WorkBudget, KeepsTheOtherShares) {
  WorkBudget budget(10);
  EXPECT_FALSE(budget.spend(3'000, 1'000, 4));
  EXPECT_TRUE(budget.spend(2'000, 1'000, 4));
  EXPECT_EQ(budget.milliseconds(), 8U);
}

}  // namespace
}  // namespace espalier
